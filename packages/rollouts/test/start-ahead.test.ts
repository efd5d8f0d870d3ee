// Tests agents whose programs are started while others play: their calls wait, and they are ended like the others.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newFolder } from '@bowyer/testing';
import { agentProgram, recordTasks, rolloutPlayer } from '../src/index.js';
import { scriptedServer } from './scripted-server.js';

const tasks = [{ id: 'only' }];
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };

/** A program that marks its start, waits for a condition on the number `own` of its episode, and calls the model twice. */
const program = (condition: string) => `
  import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
  const [folder] = process.argv.slice(2);
  const own = Number(/rollout-(\\d+)[.-]/.exec(process.env.BOWYER_ROLLOUT_URL)[1]);
  writeFileSync(folder + '/started-' + own, String(process.pid));
  const hasStarted = (episode) => existsSync(folder + '/started-' + episode);
  while (!(${condition})) await new Promise((resolve) => setTimeout(resolve, 20));
  const messages = [{ role: 'user', content: 'w1' }];
  for (let call = 0; call < 2; call++) {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY };
    const body = JSON.stringify({ model: 'scripted', messages, max_tokens: 2 });
    const { status } = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers, body });
    appendFileSync(folder + '/answers', own + ' ' + status + '\\n');
  }
  console.log('{"reward": 1}');`;

/** Opens a server and an agent for it, which waits for the condition. */
async function opened(condition: string, timeoutMs: number) {
  const folder = newFolder();
  const file = join(folder, 'agent.mjs');
  writeFileSync(file, program(condition));
  const { server, close } = await scriptedServer(undefined, { apiKey: 'of the server' });
  const command = [process.execPath, file, folder].map((word) => JSON.stringify(word)).join(' ');
  const run = agentProgram({ command, passEnv: [], timeoutMs, outputFolder: join(folder, 'programs') });
  return { folder, server, close, run, answers: () => readFileSync(join(folder, 'answers'), 'utf8') };
}

/** Plays three rollouts, one at a time, of which the next is started ahead. */
async function playing(condition: string, timeoutMs: number, watch: { givenUp: boolean }) {
  const { folder, server, close, run, answers } = await opened(condition, timeoutMs);
  const play = rolloutPlayer(server.rollouts, {
    tasks: { train: tasks, eval: tasks, test: tasks },
    run,
    judge: null,
    attempts: 1,
    failedReward: null,
    startAhead: 1,
    sampling: {},
    hasTokens: false,
    decode: () => '',
    masks: { masksOf: () => [] },
  });
  const set = { purpose: 'rollout', split: 'train', firstEpisode: 0, episodes: 3 } as const;
  const failed = (error: Error) => {
    throw error;
  };
  const played = play(
    set,
    { seed: 1, slots: 1, sampling },
    Object.assign(watch, { failed, played: () => undefined }),
  ).finally(close);
  return { folder, played, answers };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('the next program starts while one plays, and its calls are answered once that one has ended', async () => {
  const { played, answers } = await playing('own === 2 || hasStarted(own + 1)', 120_000, { givenUp: false });
  expect(await played).toHaveLength(3);
  expect(answers()).toBe('0 200\n0 200\n1 200\n1 200\n2 200\n2 200\n');
});

test('recorded programs are started ahead in the same way', async () => {
  const { server, close, run, answers } = await opened('own === 2 || hasStarted(own + 1)', 120_000);
  const recorded: (string | undefined)[] = [];
  await recordTasks(server.rollouts, {
    tasks: [0, 1, 2].map((own) => ({ id: `rollout-${own}` })),
    run,
    judge: null,
    concurrency: 1,
    startAhead: 1,
    signal: new AbortController().signal,
    onRecorded: ({ task }) => recorded.push(task),
    onFailure(_, error) {
      throw error;
    },
  }).finally(close);
  expect(recorded).toEqual(['rollout-0', 'rollout-1', 'rollout-2']);
  expect(answers()).toBe('0 200\n0 200\n1 200\n1 200\n2 200\n2 200\n');
});

test('a program that waits for its turn is ended with the set', async () => {
  const watch = { givenUp: false };
  const { folder, played } = await playing('own > 0', 0, watch);
  const ended = expect(played).rejects.toThrow(/interrupted|stopped/i);
  const [first, second] = [0, 1].map((episode) => join(folder, `started-${episode}`));
  while (![first, second].every((file) => existsSync(file) && readFileSync(file, 'utf8') !== '')) await sleep(20);
  watch.givenUp = true;
  await ended;
  for (const file of [first, second]) while (isAlive(Number(readFileSync(file, 'utf8')))) await sleep(20);
  expect(existsSync(join(folder, 'started-2'))).toBe(false);
});
