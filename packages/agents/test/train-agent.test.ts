import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import {
  currentRollout,
  rolloutFetch,
  trainAgent,
  type AgentContext,
  type AgentProgress,
  type PlayedTask,
} from '../src/index.js';
import { answerTo, colourModel, tasks, type ColourTask } from './colour-agent.js';

const made: string[] = [];
const folder = async () => {
  made.push(newFolder());
  return made.at(-1)!;
};
let model: string;
beforeAll(async () => made.push((model = await colourModel())));
afterAll(async () => {
  for (const one of made) await rm(one, { recursive: true });
});

const settings = {
  tasks,
  algorithm: 'rloo',
  rolloutSize: 16,
  groupSize: 8,
  lmLr: 0.02,
  evalFreq: 100,
  evalSize: 8,
  testSize: 16,
  evalShare: 0,
  testShare: 0,
  threads: 1,
};
const file = (directory: string, name: string) => readFile(join(directory, name), 'utf8');

// readme.test.ts tests that an agent learns what is rewarded.
test('the progress of a training is logged and reported with its rewards', async () => {
  const lines: string[] = [];
  const progress: AgentProgress[] = [];
  const { directory } = await trainAgent({
    ...settings,
    model,
    iterations: 3,
    savePath: await folder(),
    log: (line) => lines.push(line),
    onProgress: (one) => progress.push(one),
    run: async (task, context) => ((await answerTo(task, context)) === 'red' ? 1 : 0),
  });
  const training = progress.flatMap((one) => (one.phase === 'training' ? [one] : []));
  expect(training.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 3 }, (_, i) => i + 1));
  for (const { iteration, reward, metrics, report } of training) {
    expect(report).toBe(join(directory, 'report.html'));
    expect(reward.mean).toBe(metrics['rollout/episodic_return']);
    expect(lines.find((line) => line.startsWith(`iteration ${iteration}/3: reward `))).toContain(
      `${reward.mean.toFixed(2)} (95 %: ${reward.low.toFixed(2)} … ${reward.high.toFixed(2)})`,
    );
  }
  expect(training.at(-1)!.secondsLeft).toBe(0);
  expect(progress.at(-1)).toMatchObject({ phase: 'rollouts', done: 16, total: 16 });
  expect(lines[0]).toBe('tasks: 12 to train on, the same for evaluations, the same for the final test');
}, 600_000);

const ended = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

/** Sends the requests of a client that was made for another provider's model. */
const client = (task: ColourTask) =>
  answerTo(task, { baseURL: 'https://api.example.com/v1', apiKey: 'none' }, rolloutFetch);

test('a run whose reward punishes all that the start does ends with the start as its model, and says why', async () => {
  const lines: string[] = [];
  const savePath = await folder();
  // Training rewards `red`, which evaluations and the test punish: an agent that learns gets worse.
  const options = {
    ...settings,
    model,
    savePath,
    iterations: 12,
    evalFreq: 2,
    evalSize: 64,
    updateKl: null,
    watch: { rollbacks: 1, signalPatience: null },
    log: (line: string) => void lines.push(line),
    run: (task: ColourTask, context: AgentContext) => answerTo(task, context),
    reward: (_: ColourTask, { result, rollout }: PlayedTask<string>) =>
      (result === 'red') === /^(eval|test)-/.test(rollout.id) ? 0 : 1,
  };
  const trained = await trainAgent(options);
  expect(trained).toMatchObject({ verdict: 'equal', model: join(savePath, 'checkpoints/best') });
  expect(trained.gain).toBeUndefined();
  // Training returned to the start once; the second collapse ended it.
  expect(
    lines.filter((line) => line.includes('training returns to the start and continues with half the step')),
  ).toHaveLength(1);
  expect(trained.results.ended).toMatch(/the agent has collapsed: .* training ends with the start, after 1 returns/);
  expect(trained.results.iterations).toBeLessThan(12);
  expect(trained.reasons[0]).toBe('no evaluation during the training was better than that of the start');
  expect(trained.reasons[1]).toMatch(/^rollouts, first → last iteration: return /);
  expect(trained.results.handedOut!.notes.filter((note) => note.includes('the agent has collapsed'))).toHaveLength(2);
  const weights = async (place: string) => readFile(join(place, 'model.safetensors'));
  expect(await weights(trained.model)).toEqual(await weights(model));
  // The same call finds the run finished.
  const again = await trainAgent(options);
  expect(again.reasons).toEqual(trained.reasons);
}, 600_000);

test('a run that is stopped in a rollout, then in its final test, and called again ends with the numbers of one that was never stopped', async () => {
  const results = new Map<string, string>();
  const train = (
    savePath: string,
    run: (task: ColourTask) => Promise<string>,
    { signal, onProgress }: { signal?: AbortSignal; onProgress?: (progress: AgentProgress) => void } = {},
  ) =>
    trainAgent({
      ...settings,
      model,
      iterations: 3,
      concurrency: 1, // answers that share a batch in another order differ in their last bits
      savePath,
      signal,
      onProgress,
      run,
      reward: (task, { result, rollout }) => {
        results.set(rollout.id, result);
        return { reward: result === task.shown ? 1 : -result.length / 10, components: { letters: result.length } };
      },
    });
  const whole = await train(await folder(), client);

  const stop = new AbortController();
  let calls = 0;
  const savePath = await folder();
  const stopping = async (task: ColourTask) => {
    if (++calls === 28) stop.abort(new Error('enough for today'));
    if (calls >= 28) await ended(currentRollout()!.signal);
    // The context must be that of the agent's own rollout, though several run at the same time.
    expect(currentRollout()!.rollout.task).toBe(task);
    return client(task);
  };
  await expect(train(savePath, stopping, stop)).rejects.toThrow('enough for today');
  // of the start's evaluation, and of one iteration
  expect((await file(savePath, 'metrics.jsonl')).trim().split('\n')).toHaveLength(2);
  const inTest = new AbortController();
  const stoppedInTest = train(savePath, client, {
    signal: inTest.signal,
    onProgress: (one) => {
      if (one.phase === 'rollouts' && one.done === 3) inTest.abort(new Error('enough for tonight'));
    },
  });
  await expect(stoppedInTest).rejects.toThrow('enough for tonight');
  await expect(file(savePath, 'results.json')).rejects.toThrow('ENOENT');
  const resumed = await train(savePath, client);

  for (const name of ['metrics.jsonl', 'trajectories/rollout.jsonl'])
    expect(await file(resumed.directory, name)).toBe(await file(whole.directory, name));
  expect(resumed.results.policies).toEqual(whole.results.policies);
  const line = JSON.parse((await file(whole.directory, 'trajectories/rollout.jsonl')).split('\n')[0]) as {
    turns: { action: string; info: { rewards: { letters: number } } }[];
  };
  expect(line.turns[0].info.rewards.letters).toBe(line.turns[0].action.trim().length);
  expect(currentRollout()).toBeNull();
  // A finished run is not played again, whatever the functions do now, and logs this.
  const lines: string[] = [];
  const again = await trainAgent({
    ...settings,
    model,
    iterations: 3,
    concurrency: 1,
    savePath: whole.directory,
    run: () => Promise.reject(new Error('played again')),
    reward: () => 0,
    log: (line) => lines.push(line),
  });
  expect(again.results).toEqual(whole.results);
  expect(lines).toContain(`this run is finished already: ${whole.directory}; another save_path makes a new one`);
  // The report names the program that called trainAgent, and the model that it began with.
  const [started] = (await file(whole.directory, 'starts.jsonl')).split('\n');
  expect((JSON.parse(started) as { command: string }).command).toMatch(/^node \S*jest\S*( |$)/);
  expect(await file(whole.directory, 'report.html')).toContain(`{"label":"Policy","value":"${model}"}`);
}, 600_000);

test('errors in the options are reported before anything starts', async () => {
  const run = () => Promise.resolve(1);
  await expect(trainAgent({ ...settings, model, run, groupSzie: 4 })).rejects.toThrow(/group_szie/);
  await expect(trainAgent({ ...settings, model, run, tasks: [...tasks, tasks[0]] })).rejects.toThrow(
    "tasks: two tasks have the id 'red-0'",
  );
  const unnamed = [...tasks, { shown: 'red' } as ColourTask];
  await expect(trainAgent({ ...settings, model, run, tasks: unnamed })).rejects.toThrow(
    'tasks: the id of task 12 is undefined; give each task a text of its own as its id',
  );
  await expect(trainAgent({ ...settings, model: '/nowhere', run })).rejects.toThrow(
    "model: there is no folder '/nowhere'",
  );
  await expect(trainAgent({ model, tasks, run, algorithm: 'bc' })).rejects.toThrow('bc learns from a dataset');
}, 120_000);

test('a reward that is missing, not finite or never comes is a failure of the rollout, and the run says which', async () => {
  const once = { ...settings, model, iterations: 1, attempts: 1, rolloutSize: 8 };
  const run = (task: ColourTask) => client(task);
  const judged = async (reward: () => number | Promise<number>, timeout = 600) =>
    trainAgent({ ...once, run, reward, timeout, savePath: await folder() });
  await expect(judged(() => NaN)).rejects.toThrow(
    'what reward has returned: reward is NaN; it must be a finite number',
  );
  await expect(judged(() => new Promise(() => {}), 5)).rejects.toThrow('reward did not end within 5 s (timeout)');
  await expect(trainAgent({ ...once, run, savePath: await folder() })).rejects.toThrow(
    /ended without a reward\n.* or return it from a function/,
  );
}, 120_000);
