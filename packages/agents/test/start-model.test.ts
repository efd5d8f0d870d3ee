// Tests a model that is made from an agent's dialogues: the agent plays with it and its tools; a program gets the progress and
// stops the run.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { evaluateAgent, startModel, type AgentContext, type AgentProgress, type StartDialogue } from '../src/index.js';

const folder = newFolder();

const tools = [
  {
    type: 'function',
    function: {
      name: 'stock_of',
      description: 'How many of a fruit there are',
      parameters: { type: 'object', properties: { fruit: { type: 'string' } }, required: ['fruit'] },
    },
  },
];
const system = 'You answer questions about the stock of a shop.\nLook it up first.';
const fruits = ['apples', 'pears', 'plums', 'figs'];
const stockOf = (fruit: string) => String(3 + fruits.indexOf(fruit));
const call = (fruit: string) => ({
  role: 'assistant',
  content: '',
  tool_calls: [
    { id: 'call_1', type: 'function', function: { name: 'stock_of', arguments: JSON.stringify({ fruit }) } },
  ],
});
const dialogues: StartDialogue[] = fruits.map((fruit) => ({
  tools,
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: `How many ${fruit}?` },
    call(fruit),
    { role: 'tool', tool_call_id: 'call_1', content: stockOf(fruit) },
    { role: 'assistant', content: `${stockOf(fruit)} ${fruit}` },
  ],
}));

interface Message {
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

/** Asks until the model says something without calling. */
async function answerTo(question: string, { baseURL, apiKey, signal }: AgentContext): Promise<string> {
  const messages: object[] = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  for (let turn = 0; turn < 3; turn++) {
    const response = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model: 'any', messages, tools }),
      signal,
    });
    const { choices } = (await response.json()) as { choices: [{ message: Message }] };
    const { message } = choices[0];
    messages.push(message);
    if (!message.tool_calls) return message.content ?? '';
    for (const { id, function: called } of message.tool_calls) {
      const { fruit } = JSON.parse(called.arguments) as { fruit: string };
      messages.push({ role: 'tool', tool_call_id: id, content: stockOf(fruit) });
    }
  }
  return '';
}

const tasks = fruits.map((fruit) => ({ id: fruit }));
const evaluation = {
  tasks,
  run: ({ id }: { id: string }, context: AgentContext) => answerTo(`How many ${id}?`, context),
  reward: ({ id }: { id: string }, { result }: { result: string }) => Number(result === `${stockOf(id)} ${id}`),
  evalShare: 0,
  testShare: 0,
  samples: 4,
  threads: 1,
};

test('a start model calls tools, reads what they return and answers; progress has every rollout, and a signal ends the evaluation', async () => {
  const lines: string[] = [];
  const steps: AgentProgress[] = [];
  const { model, directory, loss } = await startModel({
    data: dialogues,
    savePath: join(folder, 'start'),
    validationShare: 0,
    epochs: 150,
    batchSize: 4,
    threads: 1,
    log: (line) => lines.push(line),
    onProgress: (one) => steps.push(one),
  });
  expect(steps).toHaveLength(150);
  const report = join(folder, 'start', 'report.html');
  expect(steps[0]).toEqual({ phase: 'steps', done: 1, total: 150, loss: null, report });
  expect(steps.at(-1)).toEqual({ phase: 'steps', done: 150, total: 150, loss: expect.any(Number), report });
  expect(model).toBe(join(folder, 'start/checkpoints/best'));
  expect(loss).toBeLessThan(0.05);
  expect(lines.find((line) => line.startsWith('a tokenizer of '))).toMatch(
    /lines that the dialogues share; the longest dialogue has \d\d tokens, the context 512$/,
  );

  const progress: AgentProgress[] = [];
  const savePath = join(folder, 'evaluated');
  const { results } = await evaluateAgent({
    ...evaluation,
    model: directory,
    savePath,
    onProgress: (one) => progress.push(one),
  });
  expect(results.policies[0].metrics['test/episodic_return']).toBeGreaterThan(0.8);
  const page = join(savePath, 'report.html');
  expect(progress.at(-1)).toEqual({ phase: 'rollouts', model: expect.any(String), done: 16, total: 16, report: page });
  expect(await readFile(page, 'utf8')).toContain('"status":"finished"');

  const stop = new AbortController();
  const stopped = evaluateAgent({
    ...evaluation,
    model,
    savePath: join(folder, 'stopped'),
    signal: stop.signal,
    onProgress: ({ phase }) => {
      if (phase === 'rollouts') stop.abort(new Error('enough'));
    },
    run: (task, context) =>
      stop.signal.aborted
        ? new Promise((_, reject) =>
            context.signal.addEventListener('abort', () => reject(context.signal.reason as Error)),
          )
        : evaluation.run(task, context),
  });
  await expect(stopped).rejects.toThrow('enough');
  expect(existsSync(join(folder, 'stopped/results.json'))).toBe(false);
}, 300_000);

test('a signal stops the training of a start model, and the same call resumes it', async () => {
  const options = {
    data: dialogues,
    savePath: join(folder, 'resumed'),
    validationShare: 0,
    epochs: 40,
    batchSize: 4,
    threads: 1,
  };
  const stop = new AbortController();
  const stopped = startModel({
    ...options,
    signal: stop.signal,
    onProgress: (one) => {
      if (one.phase === 'steps' && one.done === 10) stop.abort(new Error('enough'));
    },
  });
  await expect(stopped).rejects.toThrow('enough');
  const steps: AgentProgress[] = [];
  await startModel({ ...options, onProgress: (one) => steps.push(one) });
  const [first] = steps;
  expect(first.phase === 'steps' && first.done).toBeGreaterThan(10);
  expect(steps.at(-1)).toMatchObject({ done: 40, total: 40 });
}, 300_000);

test('dialogues without a reply, and keys that the config does not have, are refused before anything starts', async () => {
  const unanswered = { messages: [{ role: 'user', content: 'How many figs?' }] };
  const savePath = join(folder, 'refused');
  await expect(startModel({ data: [unanswered], savePath })).rejects.toThrow(/assistant/);
  await expect(startModel({ data: dialogues, savePath, widht: 8 })).rejects.toThrow(/widht/);
  await expect(startModel({ data: dialogues, savePath, width: 264 })).rejects.toThrow(
    /width=264 is not a multiple of 64[^]*write task.width=256/,
  );
}, 60_000);
