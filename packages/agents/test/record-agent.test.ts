import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { answerChats, newFolder, sourceArguments, type AnsweringServer } from '@bowyer/testing';
import { openCassette, recordAgent, type AgentContext } from '../src/index.js';
import { answerTo, colourModel, tasks, type ColourTask } from './colour-agent.js';

let asked = 0;
let expert: AnsweringServer;
let folder: string;
beforeAll(async () => {
  folder = newFolder();
  // The endpoint answers with the requested colour, but with green for black.
  expert = await answerChats(({ messages }) => {
    asked++;
    return messages[0].content.replace('say ', '').replace('black', 'green');
  });
});
afterAll(async () => {
  expert.close();
});

test('conversations of rollouts with enough reward are data to imitate', async () => {
  const { rollouts, failures, conversations } = await recordAgent({
    upstream: `${expert.address}/v1`,
    upstreamKey: 'secret',
    tasks,
    savePath: folder,
    minReward: 1,
    concurrency: 3,
    run: async (task, context) => {
      if (task.id === 'red-0') throw new Error('crash');
      return answerTo(task, context);
    },
    reward: (task, { result }) => Number(result === task.shown),
  });
  expect(failures.map(({ task, error }) => [task, error.message])).toEqual([['red-0', 'crash']]);
  expect(rollouts).toHaveLength(tasks.length - 1);
  const lines = (await readFile(conversations, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toHaveLength(8); // of 12 tasks three are black, and one has crashed
  expect(lines).toContainEqual({
    messages: [
      { role: 'user', content: 'say blue' },
      { role: 'assistant', content: 'blue' },
    ],
    reward: 1,
  });
});

/** Jest has a listener of its own for such rejections. */
test('a rejection that nobody handles is a failure of its rollout; outside of rollouts it ends the process, as ever', async () => {
  const upstream = `${expert.address}/v1`;
  const program = fileURLToPath(new URL('unhandled-rejection.mjs', import.meta.url));
  const played = (...more: string[]) =>
    promisify(execFile)(process.execPath, [...sourceArguments(), program, upstream, newFolder(), ...more]);
  expect(JSON.parse((await played()).stdout)).toEqual({ rollouts: 2, failures: ['no JSON'] });
  await expect(played('outside')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no JSON') as string,
  });
});

test('a test of the agent replays the recording, and finds out where the agent asks for something else', async () => {
  await using cassette = await openCassette(folder);
  for (const task of tasks.slice(1, 4))
    expect(await answerTo(task, cassette)).toBe(task.shown.replace('black', 'green'));
  expect(cassette.left).toBe(tasks.length - 4);
  await expect(answerTo({ shown: 'purple' }, cassette)).rejects.toThrow(/sent: +.*say purple/);
});

test('a recording is replayed without the endpoint; a request that differs fails with the message that does', async () => {
  const common = { tasks: tasks.filter(({ id }) => id !== 'red-0'), concurrency: 1 };
  const reward = (task: ColourTask, { result }: { result: string }) => Number(result === task.shown);
  const run = (task: ColourTask, context: AgentContext) =>
    answerTo(task.id === 'blue-1' ? { shown: 'sky blue' } : task, context);
  const replay = join(folder, 'rollouts');
  const before = asked;
  const played = await recordAgent({
    ...common,
    run,
    reward,
    replay,
    savePath: join(folder, 'replayed'),
    minReward: 1,
  });
  expect(asked).toBe(before);
  expect(played.rollouts).toHaveLength(10);
  const lines = (await readFile(played.conversations, 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(7); // black is answered with green, as it was recorded
  expect(played.failures.map(({ task }) => task)).toEqual(['blue-1']);
  expect(played.failures[0].error.message).toMatch(/messages\[0\]\.content.*recorded: .*say .*sent: +.*sky blue/);
});

test('a model of this machine is recorded with its tokens; failures and small rewards are not imitated', async () => {
  const model = await colourModel();
  const said: string[] = [];
  const { rollouts, failures, conversations } = await recordAgent({
    model,
    settings: { threads: 1, temperature: 1 },
    tasks,
    savePath: join(folder, 'model'),
    minReward: 1,
    concurrency: 1,
    run: async (task, context) => {
      const answer = await answerTo(task, context);
      if (task.id === 'red-0') throw new Error('crash');
      said.push(answer);
      return answer;
    },
    reward: (_task, { result }) => Number(result.length === 3),
  });
  await rm(model, { recursive: true });
  expect(failures.map(({ task, error }) => [task, error.message])).toEqual([['red-0', 'crash']]);
  expect(rollouts.map(({ calls }) => calls[0].choices[0].message.content.trim())).toEqual(said);
  for (const { calls } of rollouts) expect(calls[0].choices[0].logprobs).toHaveLength(1);
  const lines = (await readFile(conversations, 'utf8')).split('\n').filter((line) => line !== '');
  expect(lines).toHaveLength(said.filter((answer) => answer.length === 3).length);
}, 300_000);
