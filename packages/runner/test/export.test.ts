// Tests task=export with the real command: other programs can open the files, which have the given names.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HuggingFaceTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { run, succeeds } from './command-line.js';
import { runHere } from './in-process.js';
import { saveTinyModel } from './tiny-model.js';

const directory = newFolder();
const at = (...path: string[]) => join(directory, ...path);

/** Lists GPT-2's characters for bytes, the vocabulary of a byte-level BPE without merges. */
function bytes(): string[] {
  const printable = [...Array(256).keys()].filter((b) => (b > 32 && b < 127) || (b > 160 && b !== 173));
  const others = [...Array(256).keys()].filter((b) => !printable.includes(b));
  return [...Array(256).keys()].map((b) => String.fromCodePoint(printable.includes(b) ? b : 256 + others.indexOf(b)));
}

const MESSAGES =
  '{% for m in messages %}<{{ m.role }}>{{ m.content }}</s>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}';
const TOOLS = '{% if tools %}{% for t in tools %}{{ t | tojson }}{% endfor %}{% endif %}';

async function makeModel(folder: string, chatTemplate: string): Promise<void> {
  const vocab = Object.fromEntries([...bytes(), '<|endoftext|>'].map((token, id) => [token, id]));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  const json = {
    version: '1.0',
    added_tokens: [{ id: 256, content: '<|endoftext|>', special: true }],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: byteLevel,
    decoder: byteLevel,
    model: { type: 'BPE', vocab, merges: [] },
  };
  const config = { eos_token: '<|endoftext|>', chat_template: chatTemplate, tokenizer_class: 'GPT2Tokenizer' };
  const tokenizer = new HuggingFaceTokenizer(json as never, config);
  await saveTinyModel(folder, tokenizer, 32, { n_embd: 32 });
}

beforeAll(async () => {
  await makeModel(at('plain'), MESSAGES);
  await makeModel(at('tools'), TOOLS + MESSAGES);
});

const exported = (model: string, output: string, ...more: string[]) =>
  runHere(['--config-name', 'export', `model=${at(model)}`, 'format=gguf', `output=${output}`, ...more]);

test('a name that ends with .gguf is a file, with its Modelfile and its card beside it', async () => {
  mkdirSync(at('files'));
  const { stdout } = await succeeds(exported('plain', at('files', 'agent.gguf')));
  expect(readdirSync(at('files')).sort()).toEqual(['agent.Modelfile', 'agent.gguf', 'agent.md']);
  expect((await readFile(at('files', 'agent.gguf'))).subarray(0, 4).toString()).toBe('GGUF');
  expect(await readFile(at('files', 'agent.Modelfile'), 'utf8')).toMatch(/^FROM \.\/agent\.gguf\nTEMPLATE /);
  expect(await readFile(at('files', 'agent.md'), 'utf8')).toContain('\n# agent\n');
  expect(stdout).toContain(`\n  cd ${at('files')} && ollama create agent -f agent.Modelfile\n  ollama run agent\n`);
  const again = await exported('plain', at('files', 'agent.gguf'));
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringContaining(`export: '${at('files', 'agent.gguf')}' is there already`),
  ]);
});

test('a folder has its own name, and the commands of Ollama are printed for it', async () => {
  const { code, stdout } = await exported('plain', at('folder', 'agent'));
  expect(code).toBe(0);
  expect(readdirSync(at('folder', 'agent')).sort()).toEqual(['Modelfile', 'README.md', 'model.gguf']);
  expect(stdout).toContain(`\n  cd ${at('folder', 'agent')} && ollama create agent -f Modelfile\n`);
  expect(stdout).not.toContain('note:');
  expect(stdout).toMatch(/^parity(:| was not checked: node-llama-cpp is not installed here)/m);
});

test('a Modelfile without the tools of the model says so, in itself and in the terminal', async () => {
  const { stdout } = await exported('tools', at('with-tools.gguf'));
  expect(stdout).toContain(
    'note: the model was made for tools, and its TEMPLATE for Ollama has none: Ollama refuses requests with tools',
  );
  expect(await readFile(at('with-tools.Modelfile'), 'utf8')).toContain('# the model was made for tools');
});

test('a folder of ONNX is checked by running it, also for a model with a short context', async () => {
  const { stdout } = await succeeds(
    run(['--config-name', 'export', `model=${at('plain')}`, 'format=onnx', 'dtype=fp32', `output=${at('onnx')}`]),
  );
  expect(stdout).toMatch(
    /\nparity of onnx\/model\.onnx: \d+ of \d+ greedy tokens and an? \w+ are those of the model, by ONNX Runtime/,
  );
  expect(stdout).toContain('the tokenizer in transformers.js was not checked');
});

test.each([
  ['wrong.gguf', 'hf', 'is the name of a GGUF file, and task.format=hf writes a folder'],
  ['wrong.onnx', 'onnx', 'is the name of a file (.onnx), and task.format=onnx writes a folder'],
  ['model.safetensors', 'hf', 'is the name of a file (.safetensors), and task.format=hf writes a folder'],
  ['pytorch_model.bin', 'gguf', 'is the name of a file (.bin), and task.format=gguf writes a folder'],
])('the name of a file is refused for a folder: output=%s format=%s', async (name, format, problem) => {
  const { code, stderr } = await exported('plain', at(name), `format=${format}`);
  expect(code).toBe(1);
  expect(stderr).toContain(problem);
  expect(existsSync(at(name))).toBe(false);
});

test('the same command completes a killed export, whether it was half written, complete or partly renamed', async () => {
  mkdirSync(at('killed.gguf.parts.partial'));
  await writeFile(at('killed.gguf.parts.partial', 'killed.gguf'), 'half');
  await writeFile(at('killed.Modelfile'), 'of the earlier export');
  expect((await exported('plain', at('killed.gguf'))).code).toBe(0);
  expect(
    readdirSync(directory)
      .filter((name) => name.startsWith('killed'))
      .sort(),
  ).toEqual(['killed.Modelfile', 'killed.gguf', 'killed.md']);
  expect(await readFile(at('killed.Modelfile'), 'utf8')).toMatch(/^FROM \.\/killed\.gguf\n/);
  // It was killed before all files were in their places, and before it had printed that they are written.
  await rm(at('killed.gguf'));
  await rm(at('killed.md'));
  mkdirSync(at('killed.md'));
  expect((await exported('plain', at('killed.gguf'))).code).toBe(1);
  expect(existsSync(at('killed.gguf'))).toBe(false);
  await rm(at('killed.md'), { recursive: true });
  const { code, stdout } = await exported('plain', at('killed.gguf'));
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('by this command before it was killed'),
  });
  for (const [name, isThere] of [
    ['gguf', true],
    ['md', true],
    ['gguf.parts', false],
  ] as const)
    expect([name, existsSync(at(`killed.${name}`))]).toEqual([name, isThere]);
});
