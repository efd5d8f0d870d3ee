import { Asha, rungResources, type AshaJob } from './asha.js';

const asha = (
  trials: number,
  reductionFactor: number,
  rungs: number[],
  direction: 'maximize' | 'minimize' = 'maximize',
) => new Asha({ trials, reductionFactor, rungs, direction });

describe('rungs', () => {
  test.each([
    [1, 9, 3, [1, 3, 9]],
    [10, 160, 4, [10, 40, 160]],
    [1, 1000, 10, [1, 10, 100, 1000]], // log₁₀ 1000 is 2.9999999999999996 in floating point
    [1, 10, 3, [1, 3, 10]], // r · η² = 9 < R: the last rung gets R
    [5, 5, 2, [5]],
    [5, 9, 2, [5]], // there is no space for a second rung
    [2, 7, 1.5, [2, 3, 5, 7]], // 2, 3, 4.5, 6.75
    [1, 3, 1.1, [1, 2, 3]], // no rung is repeated
  ])('from %d to %d by %d', (min, max, factor, expected) => {
    expect(rungResources(min, max, factor)).toEqual(expected);
  });
});

test('one worker, η = 2, three rungs: promotions come before new draws, as soon as half of a rung is two or more', () => {
  const search = asha(4, 2, [1, 2, 4]);
  // The metric of trial i is i at every rung, so that later trials are better.
  const order: [number, number][] = [];
  for (let job = search.next(); job !== null; job = search.next()) {
    order.push([job.trial, job.rung]);
    search.report(job, job.trial);
  }
  expect(order).toEqual([
    [0, 0],
    [1, 0], // rung 0 has 2 trials: its better half is trial 1
    [1, 1],
    [2, 0], // rung 0 has 3 trials: ⌊3/2⌋ = 1 is promoted, trial 2, which was not promoted before
    [2, 1], // rung 1 has 2 trials: its better half is trial 2
    [2, 2],
    [3, 0], // rung 0 has 4 trials: the best two are 3 and 2, of which 3 was not promoted before
    [3, 1], // rung 1 has 3 trials: ⌊3/2⌋ = 1 is promoted, trial 3
    [3, 2],
  ]);
  expect(search.best()).toEqual({ trial: 3, rung: 2, value: 3 });
});

test('three workers, η = 3: no worker waits for a rung to fill', () => {
  const search = asha(6, 3, [1, 3]);
  const [a, b, c] = [search.next()!, search.next()!, search.next()!];
  expect([a, b, c]).toEqual([0, 1, 2].map((trial) => ({ trial, rung: 0 })));
  search.report(b, 10);
  expect(search.next()).toEqual({ trial: 3, rung: 0 }); // ⌊1/3⌋ = 0: no trial to promote yet
  search.report(a, 30);
  search.report(c, 20);
  expect(search.next()).toEqual({ trial: 0, rung: 1 }); // ⌊3/3⌋ = 1: the best trial so far
  expect(search.next()).toEqual({ trial: 4, rung: 0 });
  expect(search.next()).toEqual({ trial: 5, rung: 0 });
  expect(search.next()).toBeNull(); // all trials are drawn; 3, 4 and 5 are still running
  for (const [trial, value] of [
    [3, 40],
    [4, 5],
    [5, 6],
  ])
    search.report({ trial, rung: 0 }, value);
  // The rung has six trials, of which a third may be promoted: the best two are trials 3 (value 40) and 0 (value 30), and trial 0
  // was already promoted.
  expect(search.next()).toEqual({ trial: 3, rung: 1 });
  expect(search.next()).toBeNull();
});

test('minimize takes the smallest; equals in the order of drawing', () => {
  const search = asha(4, 2, [1, 2], 'minimize');
  const jobs = Array.from({ length: 4 }, () => search.next()!);
  jobs.forEach((job, i) => search.report(job, [5, 1, 1, 9][i]));
  expect([search.next(), search.next(), search.next()]).toEqual([{ trial: 1, rung: 1 }, { trial: 2, rung: 1 }, null]);
});

test('a failed trial is never promoted, and still counts in its rung', () => {
  const search = asha(3, 3, [1, 3]);
  const jobs = Array.from({ length: 3 }, () => search.next()!);
  search.report(jobs[0], null);
  search.report(jobs[1], -100);
  search.report(jobs[2], null);
  expect(search.next()).toEqual({ trial: 1, rung: 1 });
  search.report({ trial: 1, rung: 1 }, null);
  expect(search.next()).toBeNull();
  expect(search.best()).toEqual({ trial: 1, rung: 0, value: -100 });
});

test('if all fail, no run is promoted', () => {
  const search = asha(2, 2, [1, 2]);
  for (let job = search.next(); job !== null; job = search.next()) search.report(job, null);
  expect(search.best()).toBeNull();
});

test('cut off after any number of jobs and restored, one worker ends with the same jobs done', () => {
  const rungs = [1, 2, 4, 8];
  const valueOf = ({ trial, rung }: AshaJob) => ((trial * 7) % 11) + rung / 10;
  const runAll = (search: Asha, reached: number[][], stopAfter = Infinity) => {
    for (let count = 0; count < stopAfter; count++) {
      const job = search.next();
      if (job === null) return;
      search.report(job, valueOf(job));
      (reached[job.trial] ??= [])[job.rung] = valueOf(job);
    }
  };
  const whole: number[][] = [];
  runAll(asha(11, 2, rungs), whole);
  for (let cut = 1; cut < whole.flat().length; cut++) {
    const reached: number[][] = [];
    const search = asha(11, 2, rungs);
    runAll(search, reached, cut);
    const lost = search.next(); // it was running when the launcher was killed
    const restored = asha(11, 2, rungs);
    for (const [trial, values] of reached.entries()) restored.restore(trial, values, lost?.trial !== trial);
    if (lost?.rung === 0) restored.restore(lost.trial, [], false);
    runAll(restored, reached);
    expect(reached).toEqual(whole);
  }
});
