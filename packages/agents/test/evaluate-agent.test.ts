// evaluateAgent: the same rollouts with two models, and the gate of a build.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluateAgent, type AgentContext } from '../src/index.js';
import { answerTo, colourModel, tasks, type ColourTask } from './colour-agent.js';

let folder: string;
let models: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evaluate-agent-'));
  models = [await colourModel(), await colourModel('', 3)];
});
afterAll(() => Promise.all([folder, ...models].map((one) => rm(one, { recursive: true }))));

/** Answers with both models, in the order in which they were given. */
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
  // pass@1 is the share of successes; of the four rollouts of a task one succeeds where any does.
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
    throw new Error('crash');
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
  await expect(evaluated).rejects.toThrow('the mean reward is 0.000, below fail_below=0.5');
  const { policies } = JSON.parse(await readFile(join(savePath, 'results.json'), 'utf8')) as {
    policies: { metrics: Record<string, number> }[];
  };
  expect(policies[0].metrics['test/episodic_return']).toBe(0);
}, 300_000);
