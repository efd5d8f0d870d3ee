// Tests a model that obeys only if the system message says `careful`, an agent whose prompt does not say it, and a reflector that
// finds this out from the rollouts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answerChats, newFolder, type AnsweringServer } from '@bowyer/testing';
import { runAsLibrary } from '@bowyer/runner';
import { optimizePrompt } from '../src/index.js';
import { colourModel, colours, tasks } from './colour-agent.js';

let model: string;
let reflector: AnsweringServer;
let asked: string[] = [];

beforeAll(async () => {
  model = await obeyingModel();
  reflector = await answerChats(({ messages }) => {
    asked.push(messages[0].content);
    const text = messages[0].content.includes('Score: 0') ? 'be careful' : 'be brief';
    return `The agent is careless.\n\`\`\`\n${text}\n\`\`\``;
  });
}, 300_000);
afterAll(() => void reflector.close());
beforeEach(() => (asked = []));

const system = (content: string) => ({ role: 'system', content });
const user = (content: string) => ({ role: 'user', content });

/** Trains a model that answers `say COLOUR` with the colour if the prompt says `careful`, else with `black`. */
async function obeyingModel(): Promise<string> {
  const start = await colourModel('system be careful brief');
  const data = join(start, 'dialogues.jsonl');
  const dialogues = ['be careful', 'be brief'].flatMap((prompt) =>
    colours.map((shown) => {
      const answer = prompt === 'be careful' ? shown : 'black';
      return { messages: [system(prompt), user(`say ${shown}`), { role: 'assistant', content: answer }] };
    }),
  );
  await writeFile(data, dialogues.map((dialogue) => `${JSON.stringify(dialogue)}\n`).join(''));
  const keys = { epochs: 250, batchSize: 8, lmLr: 0.01, validationShare: 0, saveMinutes: 60, threads: 1 };
  const savePath = join(start, 'run');
  await runAsLibrary({ configName: 'finetune', settings: { model: start, data, savePath, ...keys } });
  return join(savePath, 'checkpoints', 'best');
}

async function say(shown: string, { baseURL, apiKey }: { baseURL: string; apiKey: string }): Promise<number> {
  const response = await fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'any', messages: [system('be brief'), user(`say ${shown}`)], max_tokens: 1 }),
  });
  const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
  return choices[0].message.content.trim() === shown ? 1 : 0;
}

test('the agent’s prompt is found, changed on its way to the model, and better on the test’s tasks', async () => {
  const { prompts, results } = await optimizePrompt({
    model,
    tasks,
    evalTasks: colours.map((shown) => ({ id: `eval-${shown}`, shown })),
    testTasks: colours.map((shown) => ({ id: `test-${shown}`, shown })),
    run: ({ shown }, context) => say(shown, context),
    reflector: { baseUrl: `${reflector.address}/v1`, model: 'scripted' },
    budget: 12,
    temperature: 0,
    threads: 1,
    savePath: newFolder(),
  });
  expect(prompts).toEqual({ system: 'be careful' });
  expect(asked[0]).toContain('be brief');
  const [first, best] = results.policies.map(({ metrics }) => metrics['test/episodic_return']);
  expect(first).toBe(0.25);
  expect(best).toBeGreaterThanOrEqual(0.75);
  expect(results.comparisons![0].meanDifference).toBeCloseTo(best - first);
}, 300_000);

test('a missing reflector is an error before anything starts', async () => {
  const run = () => Promise.resolve(1);
  const reflector = { model: 'none' } as { baseUrl: string; model: string };
  await expect(optimizePrompt({ model, tasks, run, reflector })).rejects.toThrow('reflector.base_url');
});
