import { readFileSync } from 'node:fs';
import type { EpisodeRecord } from '@bowyer/core';
import { checkEnv } from './contract/check-env.js';
import { defineEnvironment, memberKinds, type EnvironmentDefinition } from './define-environment.js';
import { makeEnv, registerEnvironment } from './registry.js';

interface Countdown {
  left: number;
}

/** Counts down from 3, 4 or 5; the action `skip` counts twice. */
const countdown: EnvironmentDefinition<Countdown, object> = {
  name: 'countdown',
  reset: ({ rng }) => ({ observation: 'Go.', state: { left: rng.integer(3, 5) } }),
  step: (action, { state }) => {
    state.left -= action === 'skip' ? 2 : 1;
    return { observation: `${state.left} left`, terminated: state.left <= 0 };
  },
};

test('a name, reset and step are enough', async () => {
  const unit = defineEnvironment(countdown);
  await expect(checkEnv(() => unit.make({}, {}), { actions: ['wait', 'skip'] })).resolves.toBeDefined();
  const env = unit.make({}, {});
  expect(await env.reset({ seed: 1 })).toEqual({ observation: 'Go.', info: {} });
  // Members that a step leaves out mean reward 0, no end, and nothing for logs.
  const result = await env.step('wait');
  expect(result).toMatchObject({ reward: 0, terminated: false, truncated: false, info: {} });
  expect(env.expertReply).toBeUndefined();
});

test('a member that is given as undefined has its default, beside make too', () => {
  const { make } = defineEnvironment(countdown);
  const leftOut = defineEnvironment({ name: 'countdown', make });
  const undefinedMembers = { description: undefined, schema: undefined, splits: undefined, expert: undefined };
  const unit = defineEnvironment({ ...undefinedMembers, name: 'countdown', make });
  expect(unit).toMatchObject({ description: 'the environment countdown', splits: 'seeds', schema: leftOut.schema });
  expect(defineEnvironment({ ...countdown, ...undefinedMembers })).not.toHaveProperty('hasExpert');
});

test('an episode is cut after maxTurns, which may depend on the options', async () => {
  const unit = defineEnvironment<Countdown, { turns: number }>({ ...countdown, maxTurns: ({ turns }) => turns });
  const env = unit.make({ turns: 2 }, {});
  await env.reset({ seed: 0 });
  expect(await env.step('wait')).toMatchObject({ truncated: false });
  expect(await env.step('wait')).toMatchObject({ terminated: false, truncated: true });
  await expect(env.step('wait')).rejects.toThrow('countdown: step() was called after the episode had ended');
});

test('an end by the task in the last turn is not a cut', async () => {
  const env = defineEnvironment({
    ...countdown,
    maxTurns: 1,
    step: () => ({ observation: '', terminated: true }),
  }).make({}, {});
  await env.reset({ seed: 0 });
  expect(await env.step('')).toMatchObject({ terminated: true, truncated: false });
});

test('an expert gives demonstrations, and says what it would do', async () => {
  const unit = defineEnvironment({ ...countdown, expert: ({ state }) => (state.left > 1 ? 'skip' : 'wait') });
  expect(unit.hasExpert!({})).toBe(true);
  const actionsAt = async (noise: number) => {
    const { records } = await unit.demonstrations!.make({}, { count: 20, seed: 1, noise });
    return (records as EpisodeRecord[]).flatMap(({ steps }) => steps.map(({ action }) => action));
  };
  expect(new Set(await actionsAt(0))).toEqual(new Set(['skip', 'wait']));
  // Without sample actions, random turns repeat earlier replies of the expert.
  expect(new Set(await actionsAt(1))).toEqual(new Set(['skip', 'wait']));
  const env = unit.make({}, {});
  await env.reset({ seed: 1 });
  expect(env.expertReply!()).toBe('skip');
});

test.each([
  [{}, ['name must be a text; got undefined', 'reset must be a function; got undefined']],
  [{ ...countdown, name: '' }, ['name must be a text; got the text ""']],
  [
    { ...countdown, step: undefined, stpe: countdown.step },
    ['step must be a function; got undefined', 'stpe is not a member of an environment; did you mean step?'],
  ],
  [{ ...countdown, maxTurns: 0 }, ['maxTurns must be an integer above 0 or a function; got 0']],
  [{ ...countdown, schema: {} }, ['schema must be a JSON Schema with properties; got an object']],
  [{ ...countdown, critic: 'line' }, ['critic must be an object; got the text "line"']],
  [{ ...countdown, config: { problems: 3 } }, ['config.problems must be a function; got 3']],
  [
    { ...countdown, config: { readwith: {} } },
    ['config.readwith is not a member of an environment; did you mean config.readWith?'],
  ],
  // The places of these members in version 0.2.
  [
    { ...countdown, typicalReturn: () => 1, answerTokens: () => [] },
    [
      'typicalReturn is not a member of an environment; did you mean critic.typicalReturn?',
      'answerTokens is not a member of an environment; did you mean tokens.answers?',
    ],
  ],
  [{ ...countdown, splits: 'halves' }, [`splits must be 'seeds' or a function; got the text "halves"`]],
  [{ ...countdown, sampleActions: [] }, ['sampleActions must be a list of texts; got a list of 0']],
  [
    { ...countdown, make: () => null },
    ['reset is not read beside make: leave one of them out', 'step is not read beside make: leave one of them out'],
  ],
])('faults of a definition are listed by member: %j', (definition, faults) => {
  const define = () => defineEnvironment(definition as unknown as typeof countdown);
  for (const fault of faults) expect(define).toThrow(`\n  - ${fault}\n`);
});

test('the message says which environment, what, and where to read on', () => {
  expect(() => defineEnvironment({ ...countdown, description: 3 as unknown as string })).toThrow(
    "the environment 'countdown' is not well defined\n" +
      '  - description must be a text; got 3\n' +
      '  all members, with examples: docs/extending/environment.md',
  );
});

test('a unit in JavaScript may leave out what has a default', async () => {
  const make = () => defineEnvironment(countdown).make({}, {});
  registerEnvironment({ name: 'countdown_of_javascript', make } as unknown as Parameters<
    typeof registerEnvironment
  >[0]);
  const env = makeEnv('countdown_of_javascript');
  expect((await env.reset({ seed: 1 })).observation).toBe('Go.');
});

test('docs/extending/environment.md lists every member that has a default', () => {
  const page = readFileSync(new URL('../../../docs/extending/environment.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^ +\| `(\w+(?:\.\w+)?)/gm)].map(([, member]) => member);
  const members = Object.entries(memberKinds).flatMap(([member, kind]) =>
    typeof kind === 'string' ? [member] : Object.keys(kind).map((inner) => `${member}.${inner}`),
  );
  const required = ['name', 'reset', 'step'];
  expect(members.filter((member) => !required.includes(member) && !rows.includes(member))).toEqual([]);
  const groups = Object.keys(memberKinds).join('|');
  expect(rows.filter((row) => new RegExp(`^(?:${groups})\\.`).test(row!) && !members.includes(row!))).toEqual([]);
});
