import { setTimeout as sleep } from 'node:timers/promises';
import { reportWaits } from '@bowyer/core';
import { checkedEnv, EnvContractError, EnvFaultError } from './checked-env.js';
import type { Env, ResetResult } from './env.js';

/** Returns the test's values at every step. */
class Scripted {
  constructor(private readonly script: { reset?: unknown; step?: unknown; throws?: unknown; expert?: unknown }) {}
  async reset() {
    return 'reset' in this.script ? this.script.reset : { observation: 'start', info: {} };
  }
  async step() {
    if ('throws' in this.script) throw this.script.throws;
    return { ...fine, ...(this.script.step as object) };
  }
  expertReply() {
    return this.script.expert;
  }
  async close() {}
}

const fine = { observation: 'on', reward: 0, terminated: false, truncated: false, info: {} };
const scripted = (script: ConstructorParameters<typeof Scripted>[0], name?: string) =>
  checkedEnv(new Scripted(script) as unknown as Env, name);

/** Returns the lines below the first one of the error of the second step. */
async function faultOf(script: ConstructorParameters<typeof Scripted>[0]): Promise<string> {
  const env = scripted(script, 'mine');
  await env.reset({ seed: 5 });
  const error = await env.step('go').catch((caught: Error) => caught);
  const [first, ...rest] = (error as Error).message.split('\n');
  expect(first).toMatch(/^mine, step 1 of the episode of reset\(\{"seed":5\}\): /);
  return rest.join('\n');
}

const circular: Record<string, unknown> = {};
circular.players = [{ table: circular }];

test.each([
  [{ observation: undefined }, 'observations must be texts; got undefined'],
  [{ observation: 3 }, 'observations must be texts; got 3'],
  [{ observation: Promise.resolve('on') }, 'observations must be texts; got a Promise (an await is missing)'],
  [{ reward: '1' }, 'rewards must be finite numbers; got the text "1"'],
  [{ reward: NaN }, 'rewards must be finite numbers; got NaN'],
  [{ reward: Infinity }, 'rewards must be finite numbers; got Infinity'],
  [{ reward: 1n }, 'rewards must be finite numbers; got the BigInt 1n'],
  [{ reward: undefined }, 'rewards must be finite numbers; got undefined'],
  [{ terminated: 'no' }, 'terminated must be true or false; got the text "no"'],
  [{ truncated: undefined }, 'truncated must be true or false; got undefined'],
  [{ terminated: true, truncated: true }, 'terminated and truncated must never both be true'],
  [{ info: undefined }, 'info must be an object; got undefined'],
  [{ info: [] }, 'info must be an object; got a list of 0'],
  [{ info: { a: [{ id: 12n }] } }, 'info must be writable as JSON: info.a[0].id is the BigInt 12n'],
  [{ info: circular }, 'info must be writable as JSON: info.players[0].table is an object that contains it'],
  [{ info: { score: NaN } }, 'info must be writable as JSON: info.score is NaN'],
  [{ info: { 'a b': () => 1 } }, 'info must be writable as JSON: info["a b"] is a function (a b)'],
  [{ info: { seen: new Set() } }, 'info must be writable as JSON: info.seen is an object of class Set'],
  [
    { info: { later: Promise.resolve() } },
    'info must be writable as JSON: info.later is a Promise (an await is missing)',
  ],
  [{ info: { validActions: 'look' } }, 'info.validActions must be a list of texts; got the text "look"'],
  [{ info: { validActions: ['look', undefined] } }, 'info.validActions[1] must be a text; got undefined'],
  [{ info: { won: 'no' } }, 'info.won must be true or false; got the text "no"'],
])('%j is refused by its field', async (step, fault) => {
  expect(await faultOf({ step })).toBe(`  - ${fault}`);
});

test('several broken clauses are listed together', async () => {
  expect(await faultOf({ step: { reward: null, terminated: 1 } })).toBe(
    '  - rewards must be finite numbers; got null\n  - terminated must be true or false; got 1',
  );
});

test.each([
  [undefined, 'reset() must return an object with an observation; got undefined'],
  ['start', 'reset() must return an object with an observation; got the text "start"'],
  [{ info: {} }, 'observations must be texts; got undefined'],
  [{ observation: 'start' }, 'info must be an object; got undefined'],
])('a reset that answers %j is refused', async (reset, fault) => {
  await expect(scripted({ reset }, 'mine').reset({ seed: 1 })).rejects.toThrow(
    new EnvContractError([fault], 'mine, reset({"seed":1})').message,
  );
});

test('what is thrown has the environment’s name: also a value that is not an error, and mistakes of its program', async () => {
  const thrown = async (throws: unknown) => {
    const env = scripted({ throws }, 'mine');
    await env.reset({ seed: 1 });
    return env.step('go').catch((error: Error) => error) as Promise<Error>;
  };
  const place = 'mine, step 1 of the episode of reset({"seed":1})';
  expect(await thrown('oops')).toMatchObject({ message: `${place}: it threw the text "oops", which is not an Error` });
  expect(await thrown(undefined)).toMatchObject({ message: `${place}: it threw undefined, which is not an Error` });
  const mistake = await thrown(new TypeError('x is not a function'));
  expect(mistake).toBeInstanceOf(EnvFaultError);
  expect(mistake.message).toMatch(/reset\(\{"seed":1\}\): TypeError: x is not a function\n {2}at /);
  const own = new RangeError('mine: there is no world 9');
  expect(await thrown(own)).toBe(own);
});

test.each([
  ['', 'got the text ""'],
  [undefined, 'got undefined'],
  [Promise.resolve('go'), 'got a Promise (an await is missing)'],
])('an expert that says %j is refused', async (expert, what) => {
  const env = scripted({ expert });
  await env.reset();
  expect(() => env.expertReply!()).toThrow(what);
});

test('a value that is not an environment is refused by the method that it lacks', () => {
  const lacking = { reset: () => Promise.resolve() } as unknown as Env;
  expect(() => checkedEnv(lacking, 'mine')).toThrow(/mine: 2 clauses[^]*method step\(\); got undefined[^]*close\(\)/);
  expect(() => checkedEnv(Promise.resolve() as unknown as Env, 'mine')).toThrow('got a Promise (an await is missing)');
});

test('everything else of the environment is unchanged: its class, its own methods and private fields', async () => {
  class Counting {
    #steps = 0;
    reset = () => Promise.resolve({ observation: '', info: {} });
    step = () => Promise.resolve({ ...fine, observation: String(++this.#steps) });
    count() {
      return this.#steps;
    }
    close = () => Promise.resolve();
  }
  const env = checkedEnv(new Counting());
  await env.reset();
  await (env as Env).step('go');
  expect(env).toBeInstanceOf(Counting);
  expect(env.count()).toBe(1);
  expect('expertReply' in env).toBe(false);
  expect(checkedEnv(env)).toBe(env);
});

test('an episode without an end is reported as it grows, and refused at last', async () => {
  const lines: string[] = [];
  const restore = reportWaits({ report: (line) => lines.push(line) });
  const env = scripted({}, 'mine');
  await env.reset({ seed: 2 });
  const place = (step: number) => `mine, step ${step} of the episode of reset({"seed":2})`;
  for (let step = 1; step < 100_000; step++) await env.step('go');
  await expect(env.step('go')).rejects.toThrow(
    `${place(100_000)}: the episode does not end\n  play.max_turns=N cuts every episode after N turns`,
  );
  restore();
  expect(lines).toEqual(
    [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000].map(
      (step) => `${place(step)}: the episode has not ended yet; play.max_turns=N cuts every episode after N turns`,
    ),
  );
});

test('an environment that does not answer is named', async () => {
  const lines: string[] = [];
  const restore = reportWaits({ report: (line) => lines.push(line), firstMs: 40 });
  let answer = () => {};
  const env = checkedEnv(
    {
      reset: () => new Promise<ResetResult>((resolve) => (answer = () => resolve({ observation: '', info: {} }))),
      step: () => Promise.resolve(fine),
      close: () => Promise.resolve(),
    },
    'mine',
  );
  const waiting = (env as Env).reset({ seed: 2 });
  while (lines.length === 0) await sleep(5);
  answer();
  await waiting;
  restore();
  expect(lines[0]).toMatch(/^the run waits for mine, reset\(\{"seed":2\}\), for \d+ s$/);
});
