// Tests task=convert with the real command: the converted model has the log-probabilities that PyTorch has computed for the
// original one.
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder, recordings, whenRecorded } from '@bowyer/testing';
import { repository, succeeds } from './command-line.js';
import { runHere } from './in-process.js';

const fixtures = join(repository, 'packages/models/test/fixtures');
const pickles = join(repository, 'packages/checkpoints/test/fixtures/pickles');

let directory: string;
beforeEach(() => (directory = newFolder()));

const convert = (input: string, ...overrides: string[]) =>
  runHere([
    '--config-name',
    'convert',
    `input=${input}`,
    `output=${join(directory, 'model')}`,
    `save_path=${join(directory, 'run')}`,
    ...overrides,
  ]);

/** Computes log-probabilities of continuations, given as token ids, with the model at `place`. */
async function score(place: string, items: readonly object[]) {
  const [input, output] = [join(directory, 'items.jsonl'), join(directory, 'scores.jsonl')];
  await writeFile(input, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  await succeeds(
    runHere([
      '--config-name',
      'score',
      `model=${place}`,
      `input=${input}`,
      `output=${output}`,
      `save_path=${join(directory, 'run')}`,
      'threads=1',
    ]),
  );
  const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { logprobs: number[] }).logprobs);
}

interface Example {
  ids: number[];
  targets: number[];
  logprobs: number[];
}

test("an agent's {model_state_dict} becomes a directory whose scores are PyTorch's", async () => {
  const words = join(directory, 'words');
  await wordLevelTokenizer(['once upon a time']).save(words);
  const gpt2 = join(fixtures, 'gpt2');
  const { stdout } = await succeeds(convert(join(pickles, 'gpt2-agent.pt'), `config=${gpt2}`, `tokenizer=${words}`));
  expect(stdout).toContain(`pytorch: 28 tensors, 5176 parameters\nwritten: ${join(directory, 'model')}\n`);
  // The last target of each example, after all of its ids.
  const { examples } = JSON.parse(readFileSync(join(gpt2, 'reference.json'), 'utf8')) as { examples: Example[] };
  const items = examples.map(({ ids, targets }) => ({ prompt_ids: ids, continuation_ids: targets.slice(-1) }));
  const scores = await score(join(directory, 'model'), items);
  scores.forEach((logprobs, i) => expect(Math.abs(logprobs[0] - examples[i].logprobs.at(-1)!)).toBeLessThan(1e-4));
});

test('a pickle that wants to import something: one message, exit code 1, nothing written', async () => {
  const input = join(pickles, 'imports.pt');
  const { code, stdout, stderr } = await convert(input, `config=${join(fixtures, 'gpt2')}`);
  expect(code).toBe(1);
  expect(stdout).not.toContain('this must never be printed');
  expect(stderr).toContain(
    `Cannot read weights from ${input}\n  its pickle wants to import '__builtin__.print', which weights do not need; nothing was executed\n`,
  );
  expect(readdirSync(directory).filter((name) => name.startsWith('model'))).toEqual([]);
});

const llama = recordings('models/llama-stories260k');

whenRecorded('models/llama-stories260k').test(
  "a .bin of llama2.c with its tokenizer file has PyTorch's scores, from texts",
  async () => {
    await succeeds(convert(join(llama, 'stories260K.bin'), `tokenizer=${join(llama, 'tok512.bin')}`));
    const { prompts } = JSON.parse(readFileSync(join(llama, 'reference.json'), 'utf8')) as {
      prompts: { text: string; continuation_text: string; continuation_logprobs: number[] }[];
    };
    const items = prompts.map(({ text, continuation_text }) => ({ prompt: text, continuation: continuation_text }));
    const scores = await score(join(directory, 'model'), items);
    prompts.forEach(({ continuation_logprobs: expected }, i) => {
      expect(scores[i]).toHaveLength(expected.length);
      expected.forEach((x, t) => expect(Math.abs(scores[i][t] - x)).toBeLessThan(1e-3));
    });
  },
);
