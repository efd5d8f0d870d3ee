// Tests task=score and task=generate with the real command, against PyTorch's results for a real checkpoint.
import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder, recordings, whenRecorded } from '@bowyer/testing';
import { succeeds } from './command-line.js';
import { runHere } from './in-process.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

async function task<Line>(name: string, items: readonly object[], overrides: readonly string[]) {
  const [input, output] = [join(directory, 'input.jsonl'), join(directory, 'output.jsonl')];
  await writeFile(input, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  const ended = await runHere([
    '--config-name',
    name,
    `input=${input}`,
    `output=${output}`,
    `save_path=${join(directory, 'run')}`,
    'threads=1',
    ...overrides,
  ]);
  const text = await readFile(output, 'utf8').catch(() => null);
  const lines = text?.trimEnd().split('\n');
  return { ...ended, lines: lines?.map((line) => JSON.parse(line) as Line) ?? null };
}

interface Reference {
  prompts: {
    text: string;
    input_ids: number[];
    last_logits_first10: number[];
    continuation_text: string;
    continuation_ids: number[];
    continuation_logprobs: number[];
    greedy20_ids: number[];
    greedy20_text: string;
  }[];
}

const model = recordings('models/llama-stories260k');
const maybe = whenRecorded('models/llama-stories260k').test;
const reference = () => (JSON.parse(readFileSync(join(model, 'reference.json'), 'utf8')) as Reference).prompts;

maybe('score: a line in, a line out, in the order of the input', async () => {
  const prompts = reference();
  const items = prompts.map((p, i) =>
    i % 2 === 0
      ? { prompt: p.text, continuation: p.continuation_text }
      : { prompt_ids: p.input_ids, continuation_ids: p.continuation_ids },
  );
  const { lines } = await succeeds(task<Record<string, number[]>>('score', items, [`model=${model}`]));
  expect(lines).toHaveLength(prompts.length);
  lines!.forEach((line, i) => {
    expect(Object.keys(line)).toEqual(['prompt_ids', 'continuation_ids', 'logprobs', 'logits_head']);
    expect(line.prompt_ids).toEqual(prompts[i].input_ids);
    expect(line.continuation_ids).toEqual(prompts[i].continuation_ids);
    line.logprobs.forEach((x, t) => expect(Math.abs(x - prompts[i].continuation_logprobs[t])).toBeLessThan(1e-3));
    line.logits_head.forEach((x, k) => expect(Math.abs(x - prompts[i].last_logits_first10[k])).toBeLessThan(1e-3));
  });
});

maybe.each([null, true])('generate, packed_decoding=%s: greedy texts are those of PyTorch', async (packed) => {
  const prompts = reference();
  const { lines } = await succeeds(
    task(
      'generate',
      prompts.map(({ text }) => ({ prompt: text })),
      [`model=${model}`, 'max_new_tokens=20', 'batch_size=2', `packed_decoding=${packed}`],
    ),
  );
  expect(lines).toEqual(
    prompts.map(({ greedy20_ids, greedy20_text }) => ({
      text: greedy20_text,
      ids: greedy20_ids,
      logprobs: expect.arrayContaining([expect.any(Number)]) as unknown,
      finish_reason: 'length',
    })),
  );
});

test('missing files and keys are reported', async () => {
  const { code, stderr } = await task('generate', [], []);
  expect(code).toBe(1);
  expect(stderr).toContain('task=generate needs a model, a file to read and a file to write: task.model is null');
});

maybe('a line that cannot be worked on is named, and no output is left', async () => {
  const items = [{ prompt: 'Once', continuation: ' upon' }, { prompt: 'Once' }];
  const { code, stderr } = await task('score', items, [`model=${model}`]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    `${join(directory, 'input.jsonl')}:2: has no continuation: give it 'continuation' (text) or`,
  );
  expect((await readdir(directory)).filter((name) => name.startsWith('output'))).toEqual([]);
});

const bart = recordings('models/bart-g2p-us');

whenRecorded('models/bart-g2p-us').test(
  'an encoder-decoder without a tokenizer: sources and targets as ids',
  async () => {
    const { prompts } = JSON.parse(readFileSync(join(bart, 'reference.json'), 'utf8')) as {
      prompts: { encoder_input_ids: number[]; labels: number[]; label_logprobs: number[]; greedy_ids: number[] }[];
    };
    const items = prompts.map((p) => ({ prompt_ids: p.encoder_input_ids, continuation_ids: p.labels }));
    const scored = await succeeds(task<{ logprobs: number[] }>('score', items, [`model=${bart}`]));
    scored.lines!.forEach(({ logprobs }, i) =>
      prompts[i].label_logprobs.forEach((x, t) => expect(Math.abs(logprobs[t] - x)).toBeLessThan(1e-3)),
    );
    const said = await task<{ ids: number[] }>('generate', items, [`model=${bart}`, 'batch_size=2']);
    expect(said.lines!.map(({ ids }) => ids)).toEqual(prompts.map(({ greedy_ids }) => greedy_ids.slice(1)));
    const asText = await task('generate', [{ prompt: 'hello' }], [`model=${bart}`]);
    expect(asText.code).toBe(1);
    expect(asText.stderr).toContain(
      "input.jsonl:1: has a text, but the model has no tokenizer.json: give it 'prompt_ids'",
    );
  },
);

maybe(
  'generate: a dialogue through a chat template is what its text gives; ignore_eos continues to the limit',
  async () => {
    const template = join(directory, 'template.jinja');
    await writeFile(template, '{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}');
    const [{ text, input_ids }] = reference();
    const items = [{ messages: [{ role: 'user', content: text }] }, { prompt_ids: input_ids }];
    const { lines } = await succeeds(
      task<{ text: string; ids: number[] }>('generate', items, [
        `model=${model}`,
        'max_new_tokens=24',
        'ignore_eos=true',
        `chat_template=${template}`,
      ]),
    );
    expect(lines![0].ids).toEqual(lines![1].ids);
    expect(lines![0].ids).toHaveLength(24);
  },
);

maybe('generate: a prompt longer than the context is named with its line', async () => {
  const items = [{ prompt: 'Once' }, { prompt_ids: new Array<number>(600).fill(5) }];
  const { code, stderr } = await task('generate', items, [`model=${model}`, 'max_new_tokens=20']);
  expect(code).toBe(1);
  expect(stderr).toContain(
    `${join(directory, 'input.jsonl')}:2: has 600 prompt tokens; the model's context length is 512`,
  );
});

maybe(
  'what cannot be is reported before a model is loaded: a folder as output, an encoder-decoder in 4 bits',
  async () => {
    const items = [{ prompt_ids: [1, 5, 2], continuation_ids: [1, 5, 2] }];
    const folder = await task('score', items, [`model=${model}`, `output=${directory}`]);
    expect(folder).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`output: '${directory}' cannot be written: it is a folder, not a file`),
    });
    const bart = join(model, '..', 'bart-g2p-us');
    const small = await task('score', items, [`model=${bart}`, 'quantization=4bit']);
    expect(small).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is an encoder-decoder, which cannot be loaded in 4bit'),
    });
    const plain = await task('generate', items, [`model=${bart}`, 'packed_decoding=false']);
    expect(plain).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is an encoder-decoder, whose decoding has no second copy of the weights'),
    });
  },
);

maybe(
  'keys of a line that nothing reads are refused before the model is loaded; answers beside a prompt are not',
  async () => {
    const refused = await task(
      'generate',
      [{ prompt: 'a' }, { prompt: 'b', max_tokens: 3 }, { prompt: 'c', max_tokens: 4 }],
      [`model=${directory}`],
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "keys that nothing reads, and their contents would be lost\n  'max_tokens' of a line: line 2 and 1 more\n",
    );
    const weighted = await task('score', [{ prompt: 'a', continuation: 'b', weight: 0 }], [`model=${directory}`]);
    expect(weighted.stderr).toContain("'weight' of a line: line 1");
    const answered = await succeeds(
      task('generate', [{ prompt: 'Once', answer: '2', id: 7 }], [`model=${model}`, 'max_new_tokens=2']),
    );
    expect(answered.stdout + answered.stderr).toContain('left unread: answer, id');
  },
);

maybe(
  'generate: arguments of calls and tools may be JSON in a text; the system may be beside the messages',
  async () => {
    const template = join(directory, 'template.jinja');
    await writeFile(
      template,
      '{{ tools | length }}{% for m in messages %}{{ m.content }}{% for c in m.tool_calls %}{{ c.function.arguments.city }}{% endfor %}{% endfor %}',
    );
    const asked = { role: 'user', content: 'q' };
    const call = (args: unknown) => ({
      role: 'assistant',
      content: '',
      tool_calls: [{ function: { name: 'f', arguments: args } }],
    });
    const tool = { type: 'function', function: { name: 'f', parameters: {} } };
    const items = [
      { messages: [{ role: 'system', content: 'S' }, asked, call({ city: 'Bonn' })], tools: [tool] },
      { system: 'S', messages: [asked, call('{"city": "Bonn"}')], tools: JSON.stringify([tool]) },
    ];
    const settings = [`model=${model}`, 'max_new_tokens=6', `chat_template=${template}`];
    const { lines } = await succeeds(task<{ ids: number[] }>('generate', items, settings));
    expect(lines![1]).toEqual(lines![0]);
    const damaged = await task('generate', [items[0], { messages: [asked, call('{"city": ')] }], settings);
    expect(damaged.stderr).toContain(
      'input.jsonl:2: the arguments of the call of f in message 2 are a text that is not JSON',
    );
  },
);
