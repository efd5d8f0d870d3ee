// Tests the tool calls in the results of task=finetune: the model's answers where calls were recorded.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallCounts, FinetuneResults } from '../src/run/finetune-results.js';
import { succeeds } from './command-line.js';
import { runHere } from './in-process.js';

let directory: string;
const at = (...path: string[]) => join(directory, ...path);

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
};
const tools = ['weather', 'hotel'].map((name) => ({
  type: 'function',
  function: { name, description: `The ${name} of a city.`, parameters },
}));
const cities = ['Oslo', 'Rome', 'Cairo', 'Lima'];
type Reply = (city: string, days: number) => object;
const called = (name: string, args: object) => ({
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});

/** Writes forty conversations, each with one reply of the assistant. */
async function writeData(name: string, reply: Reply): Promise<string> {
  const lines = Array.from({ length: 40 }, (_, i) => {
    const [city, days] = [cities[i % 4], 1 + (i % 3)];
    const messages = [
      { role: 'user', content: `weather ${city} ${days}` },
      { role: 'assistant', ...reply(city, days) },
    ];
    return `${JSON.stringify({ messages, tools })}\n`;
  });
  await writeFile(at(name), lines.join(''));
  return at(name);
}

async function ran(name: string, ...words: string[]) {
  const ended = await succeeds(runHere([...words, `save_path=${at(name)}`, 'threads=1', 'validation_share=0.25']));
  const results = JSON.parse(await readFile(at(name, 'results.json'), 'utf8')) as FinetuneResults;
  return { ...ended, calls: results.models.map(({ calls }) => calls) };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bowyer-calls-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('the table has the shares of recorded calls that the start and the trained model make', async () => {
  const recorded = await writeData('calls.jsonl', (city, days) => called('weather', { city, days }));
  const made = await ran('model', '--config-name', 'start_model', `data=${recorded}`, 'epochs=30');
  const all: CallCounts = { recorded: 10, rightName: 10, rightArguments: 10, noCall: 0 };
  const none = { recorded: 10, rightName: 0, rightArguments: 0, noCall: 10 };
  expect(made.calls.slice(0, 2)).toEqual([none, all]); // a model with random weights writes no calls
  expect(made.stdout).toMatch(/model +loss +perplexity +right name +right arguments +no call\n/);
  expect(made.stdout).toMatch(/\nstart .* 0\.00 +0\.00 +1\.00\nbest .* 1\.00 +1\.00 +0\.00\n/);
  expect(made.stdout).toContain('calls: shares of 10 recorded calls of these items');
  expect(await readFile(at('model', 'report.html'), 'utf8')).toContain('right arguments');

  // The same model, compared with other recorded calls.
  const beside = async (name: string, reply: Reply) => {
    const data = await writeData(`${name}.jsonl`, reply);
    const { calls, stdout } = await ran(
      ...([
        name,
        '--config-name',
        'finetune',
        `model=${at('model')}`,
        `data=${data}`,
        'lm_lr=1e-9',
        'epochs=1',
      ] as const),
    );
    expect(calls[1]).toEqual(calls[0]);
    return { counts: calls[1], stdout };
  };
  // The members have another order, but the value is the same.
  expect((await beside('order', (city, days) => called('weather', { days, city }))).counts).toEqual(all);
  expect((await beside('arguments', (city) => called('weather', { city, days: 9 }))).counts).toEqual({
    ...all,
    rightArguments: 0,
  });
  expect((await beside('name', (city, days) => called('hotel', { city, days }))).counts).toEqual({
    ...all,
    rightName: 0,
    rightArguments: 0,
  });
  const text = await beside('text', () => ({ content: 'I do not know.' }));
  expect(text.counts).toBeUndefined();
  expect(text.stdout).not.toContain('right name');
});
