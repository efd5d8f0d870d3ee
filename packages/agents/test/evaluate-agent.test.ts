// Tests `evaluateAgent`: the same rollouts with two models, and the conditions that fail a build.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { evaluateAgent, type AgentContext } from '../src/index.js';
import { answerTo, colourModel, tasks, type ColourTask } from './colour-agent.js';

let folder: string;
let models: string[];
beforeAll(async () => {
  folder = newFolder();
  models = [await colourModel(), await colourModel('', 3)];
});
afterAll(() => Promise.all([folder, ...models].map((one) => rm(one, { recursive: true }))));

/** The answers of both models in the order of the calls. */
const answers: string[] = [];
const run = async (task: ColourTask, context: AgentContext) => {
  const answer = await answerTo(task, context);
  answers.push(answer);
  return answer;
};

const settings = {
  tasks,
  run,
  reward: (_task: ColourTask, { result }: { result: string }) => ({
    reward: result === 'red' ? 1 : 0,
    components: { letters: result.length },
  }),
  evalShare: 0,
  testShare: 0,
  samples: 4,
  concurrency: 1,
  threads: 1,
};

test('two models play the same tasks as often as asked: means, paired differences and pass rates are those of the answers', async () => {
  const [model, other] = models;
  answers.length = 0;
  const { directory, results } = await evaluateAgent({
    ...settings,
    model,
    compareWith: [other],
    savePath: join(folder, 'two'),
  });
  const rollouts = tasks.length * settings.samples;
  expect(answers).toHaveLength(2 * rollouts);
  const isRed = answers.map((answer) => Number(answer === 'red'));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const means = [mean(isRed.slice(0, rollouts)), mean(isRed.slice(rollouts))];
  expect(results.policies.map(({ name }) => name)).toEqual([model, other]);
  results.policies.forEach(({ metrics }, i) => expect(metrics['test/episodic_return']).toBeCloseTo(means[i]));
  expect(results.comparisons[0].meanDifference).toBeCloseTo(means[0] - means[1]);
  // pass@1 is the share of successes; pass@4 is the share of tasks with at least one success in four rollouts.
  const ofTasks = tasks.map((_, t) => isRed.slice(t * settings.samples, (t + 1) * settings.samples));
  const [first] = results.pass;
  expect(first.rates.find(({ k }) => k === 1)!.any).toBeCloseTo(means[0]);
  expect(first.rates.find(({ k }) => k === 4)!.any).toBeCloseTo(mean(ofTasks.map((own) => Math.max(...own))));
  expect(first.rates.find(({ k }) => k === 4)!.all).toBeCloseTo(mean(ofTasks.map((own) => Math.min(...own))));
  expect(JSON.parse(await readFile(join(directory, 'results.json'), 'utf8'))).toEqual(results);
}, 300_000);

test('a model that is not good enough is an error, after the results were written; a failed rollout counts as 0', async () => {
  const savePath = join(folder, 'gate');
  const failing = async (task: ColourTask, context: AgentContext) => {
    await answerTo(task, context);
    if (task.id === tasks[0].id) throw new Error('crash');
    return 0.25;
  };
  const evaluated = evaluateAgent({
    ...settings,
    run: failing,
    reward: undefined,
    samples: 1,
    model: models[0],
    savePath,
    failBelow: 0.5,
  });
  const mean = (0.25 * (tasks.length - 1)) / tasks.length;
  await expect(evaluated).rejects.toThrow(`the mean reward is ${mean.toFixed(3)}, below task.fail_below=0.5`);
  const { policies } = JSON.parse(await readFile(join(savePath, 'results.json'), 'utf8')) as {
    policies: { metrics: Record<string, number> }[];
  };
  expect(policies[0].metrics['test/episodic_return']).toBe(mean);
}, 300_000);

test('an agent that does not work has no score: the evaluation is rejected with the reasons, and its folder is free', async () => {
  const savePath = join(folder, 'broken');
  const log: string[] = [];
  const broken = async (task: ColourTask) => {
    await Promise.resolve();
    if (task.id === tasks[0].id) throw new RangeError('no shelf');
    return (undefined as unknown as { rules: number[] }).rules[0];
  };
  const common = { ...settings, reward: undefined, samples: 2, attempts: 1, model: models[0], savePath };
  const error: Error = await evaluateAgent({ ...common, run: broken, log: (line: string) => log.push(line) }).then(
    () => Promise.reject(new Error('it was scored')),
    (caught: Error) => caught,
  );
  const place = /\((file:\/\/)?\/\S*evaluate-agent\.test\.ts:\d+:\d+\)/.source;
  const half = tasks.length + 1;
  expect(error.message).toMatch(
    new RegExp(
      `^${half} of ${2 * tasks.length} episodes \\(test\\) failed, more than play.max_failure_share 0.5 allows\n` +
        `  the first: run: RangeError: no shelf ${place}\n  ${half - 2} for another reason: run: TypeError: Cannot read .* ${place}$`,
    ),
  );
  expect((error.cause as Error).cause).toBeInstanceOf(RangeError);
  // The first occurrence of each reason has a line; the others are counted in one further line.
  const failed = log.filter((line) => /failed and counts? as task\.failed_reward/.test(line));
  expect(failed.map((line) => line.replace(/ failed.*/s, ''))).toEqual([
    'test episode 0',
    'test episode 2',
    '1 more (test episode 1)',
    `${half - 3} more (${[3, 4, 5, 6, 7].map((n) => `test episode ${n}`).join(', ')}, …)`,
  ]);

  const whole = await evaluateAgent({ ...common, run: (task, context) => answerTo(task, context).then(() => 1) });
  expect(whole.failed).toEqual({ name: models[0], rollouts: 0, of: 2 * tasks.length, reasons: [] });
  expect(whole.results.policies[0].metrics['test/episodic_return']).toBe(1);
}, 300_000);

test('failures that are allowed are in the results with their reasons; where all failed there is no mean', async () => {
  const common = { ...settings, reward: undefined, samples: 4, attempts: 1, maxFailureShare: 1, model: models[0] };
  let call = 0;
  const failing = async (task: ColourTask, context: AgentContext) => {
    await answerTo(task, context);
    call++;
    if (call % 4 !== 0) throw new Error(`reason ${call % 4} of ${context.rollout.name}`);
    return 1;
  };
  const some = await evaluateAgent({ ...common, run: failing, savePath: join(folder, 'some') });
  const each = tasks.length;
  expect(some.failed).toMatchObject({ rollouts: 3 * each, of: 4 * each });
  expect(some.failed.reasons.map(({ episodes }) => episodes)).toEqual([each, each, each]);
  expect(some.failed.reasons[0].message).toMatch(/^run: reason 1 of test-0\.1 \(.*evaluate-agent\.test\.ts:\d+:\d+\)$/);
  expect(some.results.policies[0].metrics['test/episodic_return']).toBe(0.25);

  for (const failedReward of [0, null]) {
    const none = await evaluateAgent({
      ...common,
      failedReward,
      run: () => Promise.reject(new Error('down')),
      compareWith: [models[1]],
      savePath: join(folder, `none-${failedReward}`),
    });
    expect(none.results.policies.map(({ metrics }) => metrics)).toEqual([
      { 'test/episodes': 0 },
      { 'test/episodes': 0 },
    ]);
    expect(none.results).toMatchObject({ comparisons: [], pass: [{ rates: [] }, { rates: [] }] });
    expect(none.results.failed.map(({ rollouts, of }) => rollouts / of)).toEqual([1, 1]);
  }
}, 300_000);
