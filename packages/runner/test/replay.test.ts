// Tests task=replay with the real command: its format, refused inputs, and the recordings of the original engines.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder, recordedLines, recordings, whenRecorded } from '@bowyer/testing';
import { runHere } from './in-process.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

interface Line {
  reset: { observation: string; info: Record<string, unknown> };
  steps: {
    action: string;
    observation: string;
    reward: number;
    terminated: boolean;
    truncated: boolean;
    info: Record<string, unknown>;
  }[];
}

async function replay(env: string[], input: string) {
  await writeFile(join(directory, 'input.jsonl'), input);
  const ended = await runHere([
    '--config-name',
    'replay',
    ...env,
    `input=${join(directory, 'input.jsonl')}`,
    `output=${join(directory, 'output.jsonl')}`,
    `save_path=${join(directory, 'run')}`,
  ]);
  const output = await readFile(join(directory, 'output.jsonl'), 'utf8').catch(() => null);
  const lines = output?.trimEnd().split('\n');
  return { ...ended, lines: lines?.map((line) => JSON.parse(line) as Line) ?? null };
}

const asLines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

test('a line in, a line out; actions after the end are left out; keys are in snake_case', async () => {
  const reset = { seed: 3, fold: 'train', params: 'numLocations=3', step_limit: 2 };
  const { code, lines } = await replay(
    ['env=coin'],
    asLines([
      { reset, actions: ['look around', 'take coin', 'look around'] },
      { reset, actions: Array<string>(9).fill('inventory') },
    ]),
  );
  expect(code).toBe(0);
  const [won, cut] = lines!;
  expect(Object.keys(won)).toEqual(['reset', 'steps']);
  expect(Object.keys(won.reset)).toEqual(['observation', 'info']);
  expect(won.reset.info).toMatchObject({ score: 0, num_moves: 0, seed: 3 });
  expect(won.steps.map(({ info: _, observation: __, ...step }) => step)).toEqual([
    { action: 'look around', reward: 0, terminated: false, truncated: false },
    { action: 'take coin', reward: 1, terminated: true, truncated: false },
  ]);
  expect(won.steps[0].info.valid_actions).toContain('take coin');
  expect(won.steps[1].info).toMatchObject({ score: 1, won: true });
  // With a limit of 2, a third action is played, and truncated.
  expect(cut.steps.map(({ truncated }) => truncated)).toEqual([false, false, true]);
});

test.each([
  ['{"reset": {}}', "the line must have required property 'actions'"],
  ['{"reset": {"sed": 1}, "actions": []}', "'reset' has an unknown key 'sed'; known keys: seed"],
  ['{"reset": {}, "actions": [7]}', "'actions.0' must be string"],
  ['{"reset": ', 'is not JSON: Unexpected end of JSON input'],
])('%s is refused with its file and line, and nothing is written', async (line, complaint) => {
  const { code, stderr } = await replay(
    ['env=twenty_questions'],
    `{"reset": {}, "actions": ["is it a dog?"]}\n\n${line}\n`,
  );
  expect(code).toBe(1);
  expect(stderr).toContain(`${join(directory, 'input.jsonl')}:3: ${complaint}`);
  expect((await readdir(directory)).filter((name) => name.startsWith('output'))).toEqual([]);
});

test('a missing input or output file is reported', async () => {
  const { code, stderr } = await runHere(['--config-name', 'replay', 'env=coin', 'output=anything.jsonl']);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'task=replay needs the actions to play and a file to write: task.input is null\n' +
      '  in configs/task/replay.yaml:13\n' +
      '  give both: task.input=FILE.jsonl task.output=FILE.jsonl\n',
  );
});

test('a parameter that the game does not have is named with its line', async () => {
  const { code, stderr } = await replay(['env=coin'], '{"reset": {"params": "numRooms=3"}, "actions": []}\n');
  expect(code).toBe(1);
  expect(stderr).toContain(`${join(directory, 'input.jsonl')}:1: coin: `);
});

/* oxlint-disable typescript/no-explicit-any -- lines of the recordings */
const episodesOf = (name: string) => recordedLines<any>('transcripts', name);

/**
 * Replays recorded episodes, whose scores, rewards and ends must be the recorded ones.
 *
 * @returns both, as a pair for each reset and step
 */
async function replayed(env: string[], episodes: ReturnType<typeof episodesOf>, reset: (episode: any) => object) {
  const actions = (steps: { action?: string; command?: string }[]) => steps.map((step) => step.action ?? step.command);
  const input = asLines(episodes.map((episode) => ({ reset: reset(episode), actions: actions(episode.steps) })));
  const { lines } = await replay(env, input);
  expect(
    lines!.map(({ reset: first, steps }) => ({
      scores: [first, ...steps].map(({ info }) => info.score),
      rewards: steps.map(({ reward }) => reward),
      ends: steps.map(({ terminated, truncated }) => terminated || truncated),
    })),
  ).toEqual(
    episodes.map(({ reset: first, steps }) => ({
      scores: [first, ...steps].map(({ score }) => score),
      rewards: steps.map(({ reward }: { reward: number }) => reward),
      ends: steps.map(({ done }: { done: boolean }) => done),
    })),
  );
  return lines!.flatMap((line, i) =>
    [line.reset, ...line.steps].map((ours, t) => ({ ours, theirs: [episodes[i].reset, ...episodes[i].steps][t] })),
  );
}

whenRecorded('transcripts/textworldexpress.jsonl', 'textworldexpress').test(
  "Cooking World with the original content: valid actions, scores, rewards and ends are the recordings'",
  async () => {
    const episodes = episodesOf('textworldexpress.jsonl').filter(({ game }) => game === 'cookingworld');
    const env = ['env=cookingworld', `env.content_dir=${recordings('textworldexpress')}`];
    const pairs = await replayed(env, episodes, ({ seed, fold, params, envStepLimit }) => ({
      seed,
      fold,
      params,
      step_limit: envStepLimit,
    }));
    for (const { ours, theirs } of pairs) expect(ours.info.valid_actions).toEqual(theirs.validActions);
  },
  180_000,
);

whenRecorded('transcripts/detective.jsonl', 'archer/detective.z5').test(
  "detective: text, scores, rewards and ends are the recordings'",
  async () => {
    const env = ['env=adventure', `env.story=${recordings('archer/detective.z5')}`, 'env.valid_actions=false'];
    const pairs = await replayed(env, episodesOf('detective.jsonl'), ({ seed }) => ({ seed }));
    for (const { ours, theirs } of pairs) expect(ours.observation).toBe(theirs.observation);
  },
  180_000,
);

test('keys of a line that nothing reads are refused before anything is played', async () => {
  const { code, stderr, lines } = await replay(
    ['env=coin'],
    asLines([
      { reset: { seed: 3 }, actions: ['look around'], id: 'x', steps: [] },
      { reset: { seed: 3 }, actions: ['look around'], seed: 4 },
    ]),
  );
  expect({ code, lines }).toEqual({ code: 1, lines: null });
  expect(stderr).toContain("keys that nothing reads, and their contents would be lost\n  'seed' of a line: line 2\n");
});
