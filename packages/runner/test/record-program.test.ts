// Tests task=record_agent when it starts the agent itself, and trainings on the recorded folder.
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRollouts, type RecordedRollout } from '@bowyer/rollouts';
import { answerChats } from '@bowyer/testing';
import { useRecords } from '../src/context/recorded-data.js';
import { succeeds } from './command-line.js';
import { colourProgram } from './colour-program.js';
import { runHere } from './in-process.js';

/** An endpoint that answers with the requested text. */
let asked = 0;
const endpoint = await answerChats(({ messages }) => {
  asked++;
  return messages[0].content.replace('say ', '');
});
const upstream = `upstream=${endpoint.address}/v1`;
let folder: string;
const at = (...path: string[]) => join(folder, ...path);
beforeAll(async () => {
  folder = await colourProgram([{ id: 'broken' }]);
});
afterAll(async () => {
  endpoint.close();
  await rm(folder, { recursive: true });
});

const record = (name: string, ...words: string[]) =>
  runHere([
    '--config-name',
    'record_agent',
    'port=0',
    `agent=node ${at('agent.mjs')}`,
    `tasks=${at('tasks.jsonl')}`,
    `save_path=${at(name)}`,
    ...words,
  ]);

async function rolloutsOf(name: string): Promise<RecordedRollout[]> {
  const rollouts: RecordedRollout[] = [];
  for await (const rollout of readRollouts(at(name, 'rollouts'))) rollouts.push(rollout);
  return rollouts;
}

test('each task is played once with an endpoint; the same command plays what has failed, and trainings read the folder', async () => {
  const first = await record('record', upstream);
  expect(first).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('mean reward of 4 rollouts: 0.250') as string,
  });
  expect(first.stdout).toContain('has 4 of 5 rollouts (conversations: 4)');
  expect(first.stdout + first.stderr).toMatch(/broken failed and is left out: .*exit code 3/);
  const rollouts = await rolloutsOf('record');
  expect(rollouts.map(({ task, status }) => `${task} ${status}`).sort()).toEqual([
    'black ended',
    'blue ended',
    'broken failed',
    'green ended',
    'red ended',
  ]);
  const before = asked;
  const again = await record('record', upstream);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('failed in all 1 rollouts') as string });
  expect(asked).toBe(before);

  const words = 'epochs=1 validation_share=0 threads=1'.split(' ');
  const places = [`model=${at('model')}`, `data=${at('record')}`, `save_path=${at('tuned')}`];
  await succeeds(runHere(['--config-name', 'finetune', ...places, ...words]));
  const items = await readFile(at('tuned', 'recorded', 'data.jsonl'), 'utf8');
  expect(items.trim().split('\n')).toHaveLength(1); // only one colour has a reward above 0
  expect(items).toContain('say red');

  // An algorithm that selects by the reward reads all dialogues, each with its reward; so does one that reads the recording's
  // file.
  const read = { demonstrations: { path: at('record') }, algorithm: { name: 'filteredbc' }, task: {} };
  await useRecords(read, { directory: at('chosen'), log: () => {} });
  for (const path of [read.demonstrations.path, at('record', 'conversations.jsonl')])
    expect((await readFile(path, 'utf8')).match(/"reward":\d/g)!.sort()).toEqual([
      '"reward":0',
      '"reward":0',
      '"reward":0',
      '"reward":1',
    ]);
});

test('a model of this machine is recorded with its tokens', async () => {
  await writeFile(at('reds.jsonl'), '{"id":"a","shown":"red"}\n{"id":"b","shown":"red"}\n');
  const { code, stdout } = await record('own', `model=${at('model')}`, `tasks=${at('reds.jsonl')}`, 'threads=1');
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('has 2 of 2 rollouts') as string });
  for (const { calls } of await rolloutsOf('own')) expect(calls[0].choices[0].logprobs).toHaveLength(1);
});

test('tasks or a timeout without an agent, and an agent without tasks, are refused before anything starts', async () => {
  const lone = await record('refused', upstream, 'agent=null');
  expect(lone).toMatchObject({ code: 1, stderr: expect.stringContaining('tasks is given without an agent') as string });
  const idle = await record('refused', upstream, 'tasks=absent.jsonl');
  expect(idle).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no file 'absent.jsonl'") as string });
  const others = await record('refused', upstream, 'agent=null', 'tasks=null', 'timeout=5');
  expect(others).toMatchObject({ code: 1, stderr: expect.stringContaining("key 'task.timeout'") as string });
  expect(existsSync(at('refused'))).toBe(false);
});
