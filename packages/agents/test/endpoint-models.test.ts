// Endpoints as tested models, beside a model of this machine, in one table with prices.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { answerChats, newFolder, type AnsweringServer } from '@bowyer/testing';
import { evaluateAgent, reaches, type AgentContext } from '../src/index.js';
import { answerTo, colourModel, tasks, type ColourTask } from './colour-agent.js';

/** The models and the keys in the requests to the endpoint. */
const asked: { model: string; key: string | undefined }[] = [];

let endpoint: AnsweringServer;
let folder: string;
let model: string;
let host: string;
beforeAll(async () => {
  folder = newFolder();
  model = await colourModel();
  // The endpoint answers with the requested colour, but with green for black.
  endpoint = await answerChats(
    ({ model, messages }, { authorization: key }) => {
      asked.push({ model, key });
      return messages[0].content.replace('say ', '').replace('black', 'green');
    },
    { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  );
  host = endpoint.address.slice('http://'.length);
});
afterAll(async () => {
  endpoint.close();
  await Promise.all([folder, model].map((one) => rm(one, { recursive: true })));
});

const agent = {
  tasks,
  run: (task: ColourTask, context: AgentContext) => answerTo(task, context),
  reward: (task: ColourTask, { result }: { result: string }) => Number(result === task.shown),
  threads: 1,
};

test('an endpoint and a model of this machine play the same tasks: rewards, tokens and prices are in one table', async () => {
  process.env.KEY_OF_THE_TEST = 'secret';
  const big = `http://${host}/v1#big`;
  const { results } = await evaluateAgent({
    ...agent,
    model: big,
    compareWith: [model],
    samples: 1,
    evalShare: 0,
    testShare: 0,
    endpointKeys: { [host]: 'KEY_OF_THE_TEST' },
    prices: { big: { input: 2, output: 8 } },
    savePath: join(folder, 'table'),
  });
  expect(asked).toHaveLength(tasks.length);
  expect(asked[0]).toEqual({ model: 'big', key: 'Bearer secret' });
  const [first, second] = results.policies;
  expect(first.name).toBe(big);
  expect(first.metrics['test/episodic_return']).toBe(0.75); // black is wrong
  const difference = second.metrics['test/episodic_return'] - 0.75;
  expect(-results.comparisons[0].meanDifference).toBeCloseTo(difference);
  expect(results.costs).toMatchObject([
    { name: big, tokens: { input: 100, output: 10 } },
    { name: model, tokens: { output: 1 }, thousand: null },
  ]);
  expect(results.costs[0].thousand).toBeCloseTo(((100 * 2 + 10 * 8) / 1e6) * 1000);
}, 300_000);

test('a test of an agent takes an endpoint, with a bound of the cost', async () => {
  const reached = await reaches(agent.run, 0.9, {
    ...agent,
    model: `http://${host}/v1#big`,
    concurrency: 4,
    prices: { input: 2, output: 8 },
    budget: { rollouts: 100, cost: 0.002 },
    savePath: join(folder, 'test'),
  });
  expect(reached.rollouts).toBe(8);
  expect(reached.cost).toBeCloseTo(8 * 0.00028);
}, 300_000);

test.each([
  [{ model: 'http://127.0.0.1:1/v1' }, "model: the endpoint 'http://127.0.0.1:1/v1' names no model"],
  [{ model: 'http://127.0.0.1:1/v1#big', temperature: 0 }, "an endpoint answers as the agent's requests say"],
  [
    { model: 'http://127.0.0.1:1/v1#big', prices: { bgi: { input: 1, output: 1 } } },
    "prices: 'bgi' is none of the models (big)",
  ],
  [
    { model: 'http://127.0.0.1:1/v1#big', endpointKeys: { '127.0.0.1': 'KEY' } },
    "task.endpoint_keys: '127.0.0.1' is none of the models (127.0.0.1:1)",
  ],
  [
    { model: 'http://127.0.0.1:1/v1#big', models: ['a'] },
    'task.models is given together with task.model or task.compare_with',
  ],
])('%j is refused before anything is played', async (settings, message) => {
  await expect(evaluateAgent({ ...agent, ...settings, savePath: join(folder, 'refused') })).rejects.toThrow(message);
});

test('an unknown figure is refused before anything is played', async () => {
  const of = 'pass@0' as const;
  await expect(reaches(agent.run, 0.9, { ...agent, model: 'absent', of })).rejects.toThrow("of is 'pass@0'");
});
