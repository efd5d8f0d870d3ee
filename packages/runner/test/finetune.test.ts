// Tests task=finetune with the real command: a user's data are learned, and a model is written.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { templateTokens, wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { run, succeeds } from './command-line.js';
import { runHere } from './in-process.js';
import { saveTinyModel } from './tiny-model.js';

const directory = newFolder();
const at = (...path: string[]) => join(directory, ...path);

const rooms = ['hall', 'attic', 'cellar', 'garden'];
const question = (i: number) => `Where is the ${['key', 'lamp', 'rope'][i % 3]} number ${i % 5}?`;
const answer = (i: number) => `in the ${rooms[i % 3]}`;
const conversations = Array.from({ length: 20 }, (_, i) => ({
  messages: [
    { role: 'user', content: question(i) },
    { role: 'assistant', content: answer(i) },
  ],
}));
const completions = Array.from({ length: 20 }, (_, i) => ({ prompt: question(i), completion: ` ${answer(i)}` }));

const jsonl = (items: readonly object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

/** Writes a model of one block whose vocabulary contains the words above. */
async function makeModel(folder: string, positions = 40): Promise<void> {
  const words = Array.from(
    { length: 20 },
    (_, i) => `${question(i)} ${answer(i)} system\nuser\nassistant\n${answer(i)}`,
  );
  const tokenizer = wordLevelTokenizer([...words, 'You are a helpful assistant'], {
    wholeTokens: templateTokens('chatml'),
  });
  await saveTinyModel(folder, tokenizer, positions);
}

beforeAll(async () => {
  await makeModel(at('model'));
  await writeFile(at('conversations.jsonl'), jsonl(conversations));
  await writeFile(at('completions.json'), JSON.stringify(completions));
  await writeFile(at('empty.jsonl'), jsonl([completions[0], { prompt: '', completion: 'a' }]));
});

/** Returns the words of a training on twenty items: 16 are trained on, with four steps in each epoch, and 4 are held out. */
const command = (name: string, data: string, ...overrides: string[]) => [
  '--config-name',
  'finetune',
  `model=${at('model')}`,
  `data=${at(data)}`,
  `save_path=${at(name)}`,
  'threads=1',
  'epochs=3',
  'batch_size=4',
  'validation_share=0.2',
  'lm_lr=1e-2',
  ...overrides,
];

async function ends(...args: Parameters<typeof command>) {
  const ended = await succeeds(runHere(command(...args)));
  return ended;
}

type Line = Record<string, number>;
const metricsOf = async (name: string): Promise<Line[]> =>
  (await readFile(at(name, 'metrics.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const losses = (lines: Line[], key: string) => lines.filter((line) => key in line).map((line) => line[key]);

test('conversations: what is printed, logged and saved; the line to try it runs', async () => {
  const { stdout, stderr } = await ends('chat', 'conversations.jsonl', 'chat_template=chatml');
  const log = stdout + stderr;
  expect(log).toMatch(
    /data: 16 items to train on, 4 for validation \(task\.validation_share=0.2\); \d+ tokens, \d+ of which are learned; an item has/,
  );
  expect(log).toContain(' parameters: 12 optimizer steps (task.epochs=3, 4 each), items through the model at once: 4');
  expect(log).toMatch(
    /memory: about \d+ MB \(parameters \d+ MB, gradients \d+ MB, moments \d+ MB, activations \d+ MB\)/,
  );
  expect(log).toMatch(/time: about \d+ seconds? for optimizer steps 3 to 12 /);

  const lines = await metricsOf('chat');
  expect(lines.map(({ iteration }) => iteration)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(Object.keys(lines[0])).toEqual(['iteration', 'eval/nll', 'eval/perplexity', 'optim/steps']);
  expect(Object.keys(lines[4])).toEqual([
    'iteration',
    'losses/nll',
    'losses/perplexity',
    'optim/steps',
    'tokens',
    'optim/lm_lr',
    'eval/nll',
    'eval/perplexity',
    'bc.loss',
  ]);
  const held = losses(lines, 'eval/nll');
  expect(held).toHaveLength(4);
  expect(held[3]).toBeLessThan(held[0] - 1);

  // More lines, or fewer. The end of an epoch is always logged.
  await ends('chat-steps', 'conversations.jsonl', 'chat_template=chatml', 'logging_steps=3');
  const sparse = await metricsOf('chat-steps');
  expect(sparse.map(({ iteration }) => iteration)).toEqual([0, 3, 4, 6, 8, 9, 12]);
  expect(losses(sparse, 'eval/nll')).toEqual(held);

  const best = Math.min(...held.slice(1));
  expect(stdout).toContain(
    `best (epoch ${held.indexOf(best)})  ${best.toFixed(4)}       ${Math.exp(best).toPrecision(4)}`,
  );
  expect(stdout).toContain('loss in nats per learned token on 4 validation items, which were not trained on');
  expect(await readFile(at('chat', 'report.html'), 'utf8')).toMatch(/"xLabel":"optimizer step".*"key":"losses\/nll"/s);

  const [, trial] = /^try it: npx bowyer (.*)$/m.exec(stdout)!;
  expect(trial).toContain(`model=${at('chat', 'checkpoints', 'best')}`);
  await succeeds(runHere([...trial.split(' '), `save_path=${at('tried')}`, 'max_new_tokens=4']));
  expect((await readFile(at('chat', 'texts.jsonl'), 'utf8')).trim().split('\n')).toHaveLength(4);

  const again = await ends('chat', 'conversations.jsonl', 'chat_template=chatml');
  expect(again.stdout).toContain(`this run is finished already: ${at('chat')}`);
  expect(again.stdout).toContain(`model: ${at('chat', 'checkpoints', 'best')}`);
});

test('prompts with completions: the completion and the end of text are learned; parts of a batch give the same loss', async () => {
  await ends('whole', 'completions.json');
  await ends('parts', 'completions.json', 'grad_accum_steps=3');
  const [whole, parts] = [await metricsOf('whole'), await metricsOf('parts')];
  // Three words and the end, 20 times. A question has seven tokens. Neither is shortened.
  expect(losses(whole, 'tokens').reduce((sum, count) => sum + count, 0)).toBe(3 * 16 * 4);
  expect(losses(whole, 'eval/nll')[3]).toBeLessThan(losses(whole, 'eval/nll')[0] - 1);
  for (const key of ['losses/nll', 'eval/nll'])
    losses(whole, key).forEach((loss, i) => expect(losses(parts, key)[i]).toBeCloseTo(loss, 3));
});

test('without validation the last model is saved; adapters leave the base as it is', async () => {
  const before = await readFile(at('model', 'model.safetensors'));
  const { stdout } = await ends(
    'lora',
    'completions.json',
    'validation_share=0',
    'use_lora=true',
    'lora.r=4',
    'epochs=2',
  );
  expect(await readFile(at('model', 'model.safetensors'))).toEqual(before);
  expect(readdirSync(at('lora', 'checkpoints', 'best'))).toContain('adapter_model.safetensors');
  expect(stdout).toMatch(
    /last \(epoch 2\) .*\n\nloss in nats per learned token of the last training steps; nothing was held out/,
  );
  const lines = await metricsOf('lora');
  expect(losses(lines, 'eval/nll')).toEqual([]);
  const training = losses(lines, 'losses/nll');
  expect(training.at(-1)).toBeLessThan(training[0]);
});

test('all bad lines are reported at once, before a model is looked for', async () => {
  const good = JSON.stringify(completions[0]);
  const bad = [
    '{"prompt": ',
    '3',
    '{"prompt": "a"}',
    '{"prompt": ["a"], "completion": "b"}',
    '{"text": "a"}',
    '{"messages": []}',
  ];
  await writeFile(at('bad.jsonl'), ['', good, ...bad, good].join('\n'));
  const { code, stderr } = await runHere(command('bad', 'bad.jsonl'));
  expect(code).toBe(1);
  expect(stderr).toContain(
    [
      `${at('bad.jsonl')}: 6 of 8 items cannot be used`,
      '  line 3: is not JSON (Unexpected end of JSON input): {"prompt":',
      '  line 4: is the number 3',
      "  line 5: 'completion' is missing, not a text",
      "  line 6: 'prompt' is an array, neither a text nor messages",
      '  line 7: is an object with the keys text',
      '  line 8: is a conversation, but line 2 is a prompt with a completion; a file contains one kind',
      `  in command line: data=${at('bad.jsonl')}`,
      '  expected: {"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]} or ' +
        '{"prompt": "…", "completion": "…"}, the same kind in the whole file',
    ].join('\n'),
  );
  expect(existsSync(at('bad', 'checkpoints'))).toBe(false);
});

test.each([
  [['chat_template=chatml'], 'chat.template=chatml has no effect: '],
  [['grad_accum_steps=5'], 'task.grad_accum_steps=5: a batch of 4 items cannot be split into more than 4 parts'],
  [['quantization=8bit'], 'policy.quantization=8bit: quantized weights are frozen, so nothing would be trained'],
  [['validation_share=0.99'], 'of 20 items task.validation_share=0.99 holds out 20, and none remains to train on'],
  [['data=DIRECTORY/conversations.jsonl', 'upstream_loss_mask=true'], 'has no effect on the model’s own chat template'],
  [['model=nowhere', 'data=nowhere.jsonl'], "model: there is no folder 'nowhere'"],
  [['model=nowhere', 'data=nowhere.jsonl'], "there is no file 'nowhere.jsonl'"],
  [
    ['data=DIRECTORY/empty.jsonl'],
    'empty.jsonl: 1 of 2 items cannot be used\n  line 2: has an empty prompt; this tokenizer adds no token before a text',
  ],
  [['lora.r=4'], 'write lora.enabled=true to train adapters'],
])('%s is refused', async (overrides, problem) => {
  const { code, stderr } = await runHere(
    command('refused', 'completions.json', ...overrides.map((text) => text.replace('DIRECTORY', directory))),
  );
  expect(code).toBe(1);
  expect(stderr).toContain(problem);
});

test('a pipe is refused as data, since a run reads its file again', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  const { code, stderr } = await runHere(command('refused', 'pipe'));
  expect(code).toBe(1);
  expect(stderr).toContain('is a pipe: the file is read more than once, and again when the run is resumed');
});

test('killed with SIGKILL and started again, the metrics and the model have the same bytes', async () => {
  const args = (name: string) =>
    command(name, 'conversations.jsonl', 'chat_template=chatml', 'save_minutes=0', 'use_lora=true', 'lora.dropout=0.1');
  const steps = () =>
    existsSync(at('killed', 'checkpoints')) ? readdirSync(at('killed', 'checkpoints')).map(Number) : [];
  for (const enough of [2, 7]) {
    const { signal } = await run(args('killed'), { killWhen: () => steps().some((step) => step >= enough) });
    expect(signal).toBe('SIGKILL');
  }
  const resumed = await succeeds(run(args('killed')));
  expect(resumed.stdout + resumed.stderr).toMatch(/resumed after optimizer step \d/);
  expect(await run(args('undisturbed'))).toMatchObject({ code: 0 });
  for (const file of ['metrics.jsonl', 'checkpoints/best/adapter_model.safetensors']) {
    const [killed, undisturbed] = await Promise.all(['killed', 'undisturbed'].map((name) => readFile(at(name, file))));
    expect(undisturbed.length).toBeGreaterThan(0);
    expect(killed.equals(undisturbed)).toBe(true);
  }

  await writeFile(at('conversations.jsonl'), jsonl([...conversations, ...conversations]));
  const changed = await runHere(args('killed'));
  expect(changed).toMatchObject({ code: 1, stderr: expect.stringContaining('data_sha256: ') });
  await writeFile(at('conversations.jsonl'), jsonl(conversations));
});

const tool = {
  type: 'function',
  function: { name: 'clock', parameters: { type: 'object', properties: { zone: {} } } },
};
const called = (id: string) => ({
  id,
  messages: [
    { role: 'user', content: question(0) },
    { role: 'assistant', content: null, tool_calls: [{ function: { name: 'clock', arguments: '{"zone": "hall"}' } }] },
    { role: 'tool', content: 'in the attic' },
    { role: 'assistant', content: answer(0), weight: 0 },
  ],
  tools: [tool],
});

test('calls of tools: a template that leaves them out is refused; the model and its merged adapter keep the one they learned', async () => {
  await writeFile(at('calls.jsonl'), jsonl(Array.from({ length: 20 }, (_, i) => called(String(i)))));
  const { code, stderr } = await runHere(
    command('lost', 'calls.jsonl', 'chat_template=examples/chat-templates/dialogue.jinja'),
  );
  expect(code).toBe(1);
  expect(stderr).toContain(
    [
      'calls.jsonl: the chat template leaves out parts of the messages, which would not be learned',
      '  tools: line 1',
      "  'tool_calls' of assistant messages: line 1",
    ].join('\n'),
  );
  expect(stderr).toContain('chat.template=tools');

  const tokenizer = wordLevelTokenizer([JSON.stringify(called('')), '### assistant tool <tool_call> <tools>\n']);
  await saveTinyModel(at('long'), tokenizer, 400);
  const { stdout, stderr: log } = await ends(
    ...(['kept', 'calls.jsonl', `model=${at('long')}`, 'chat_template=tools', 'use_lora=true', 'epochs=1'] as const),
  );
  expect(stdout + log).toContain('data: 20 of 40 replies are not learned (weight 0)');
  expect(stdout + log).toContain('data: left unread: id');
  expect(stdout).toContain('answers of the model (greedy) to 3 validation items:\n  prompt:    ');
  expect(await readFile(at('kept', 'report.html'), 'utf8')).toContain('"answers":[{"prompt":');
  const best = at('kept', 'checkpoints', 'best');
  expect(await runHere(['--config-name', 'convert', `input=${best}`, `output=${at('merged')}`])).toMatchObject({
    code: 0,
  });
  for (const folder of [best, at('merged')]) {
    const kept = JSON.parse(await readFile(join(folder, 'tokenizer_config.json'), 'utf8')) as { chat_template: string };
    expect(kept.chat_template).toContain('<tool_call>');
  }
});

test('replies of weight 0 are not learned, and others count by their weight', async () => {
  const weighted = (weight?: number) =>
    jsonl(
      conversations.map(({ messages: [asked, said] }) => ({
        messages: [asked, { ...said, weight: 1 }, asked, { ...said, content: question(1), weight }],
      })),
    );
  await makeModel(at('roomy'), 120); // space for both replies
  const tokens = async (name: string, weight?: number) => {
    await writeFile(at(`${name}.jsonl`), weighted(weight));
    await ends(name, `${name}.jsonl`, `model=${at('roomy')}`, 'chat_template=chatml', 'epochs=1');
    return losses(await metricsOf(name), 'tokens').reduce((sum, count) => sum + count, 0);
  };
  const [all, none, half] = [await tokens('all'), await tokens('none', 0), await tokens('half', 0.5)];
  expect(none).toBeLessThan(all / 2);
  expect(half).toBeCloseTo((all + none) / 2);
}, 180_000);
