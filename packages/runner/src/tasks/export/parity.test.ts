// Tests the check of exported files against their model, a small one with tools: in ONNX Runtime, in llama.cpp if
// benchmarks/peers/llama-cpp has it, and in replacements of llama.cpp that read the file incorrectly.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { exportGguf, exportOnnx, LanguageModel } from '@bowyer/models';
import { newFolder, typeScriptArguments, when } from '@bowyer/testing';
import { bytePairTokenizer, chatTemplate } from '@bowyer/text';
import { ggufParity } from './gguf-parity.js';

const peer = resolve(import.meta.dirname, '../../../../../benchmarks/peers/llama-cpp');
const folder = newFolder();
const at = (...parts: string[]) => join(folder, ...parts);
beforeAll(async () => {
  for (const [name, seed] of [
    ['model', 0],
    ['other', 1],
  ] as const) {
    await makeModel(at(name), seed);
    await exportOnnx({ dir: at(name), output: at(`${name}-onnx`), precisions: ['fp32', 'fp16', 'q8'], merge: false });
    await exportGguf({ dir: at(name), output: at(`${name}.gguf`), dtype: 'f32', merge: false, name });
  }
});

const template =
  '{% for t in tools or [] %}{{ t | tojson }}\n{% endfor %}{% for m in messages %}# {{ m.role }}\n{{ m.content }}' +
  '{% for c in m.tool_calls or [] %}<tool_call>{{ c.function | tojson }}</tool_call>{% endfor %}{{ eos_token }}{% endfor %}' +
  '{% if add_generation_prompt %}# assistant\n{% endif %}';
const tokenizer = bytePairTokenizer([], {
  size: 0,
  endToken: '<end>',
  wholeTokens: ['# user\n'],
  chatTemplate: template,
});

async function makeModel(directory: string, seed: number): Promise<void> {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const size = { hidden_size: 32, intermediate_size: 64, num_hidden_layers: 1, num_attention_heads: 2 };
  const config = { model_type: 'llama', max_position_embeddings: 1024, initializer_range: 0.3, ...size };
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(seed) });
  await model.save(directory);
  await model.release();
  await device.close();
}

test('without an engine the log line says that nothing was checked', async () => {
  expect(await ggufParity(at('model.gguf'), at('model'), 'f32', folder)).toMatch(
    /^parity was not checked: node-llama-cpp is not installed here/,
  );
});

/**
 * Makes a project with a replacement of node-llama-cpp that tokenizes texts with the given code, and considers all tokens equally
 * likely.
 */
async function projectWith(name: string, tokenize: string): Promise<string> {
  const engine = at(name, 'node_modules/node-llama-cpp');
  await mkdir(join(engine, 'dist'), { recursive: true });
  await writeFile(join(engine, 'package.json'), '{"version": "0.0.0", "type": "module"}');
  await writeFile(
    join(engine, 'dist/index.js'),
    `const next = { probabilities: new Map(Array.from({ length: 300 }, (_, id) => [id, 1 / 300])) };
    const sequence = {
      controlledEvaluate: async (tokens) => tokens.map(([, { generateNext }]) => generateNext && { next }),
    };
    const context = { getSequence: () => sequence, dispose: async () => {} };
    const model = { tokenize: (text) => ${tokenize}, createContext: async () => context, dispose: async () => {} };
    export const getLlama = async () => ({ loadModel: async () => model, dispose: async () => {} });`,
  );
  return at(name);
}

test('an engine with other tokens or other probabilities for the dialogue is refused', async () => {
  const bytes = await projectWith('bytes', '[...Buffer.from(text)]');
  await expect(ggufParity(at('model.gguf'), at('model'), 'f32', bytes)).rejects.toThrow(
    /^export: llama.cpp cuts a text into other tokens than the model's tokenizer: from token 0 on /,
  );
  const { ids } = chatTemplate(null, tokenizer).encodeConversation(
    [
      { role: 'user', content: 'Where is my order 4821?' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { type: 'function', id: 'call00001', function: { name: 'find_order', arguments: { order: '4821' } } },
        ],
      },
    ],
    {
      tools: [
        {
          type: 'function',
          function: {
            name: 'find_order',
            description: 'Finds an order.',
            parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
          },
        },
      ],
    },
  )[0];
  const uniform = await projectWith('uniform', JSON.stringify(ids));
  await expect(ggufParity(at('model.gguf'), at('model'), 'f32', uniform)).rejects.toThrow(
    /^export: llama.cpp reads the file otherwise than the model is here: the likeliest tokens differ by \d+\.\d+ nats/,
  );
});

when(
  existsSync(join(peer, 'node_modules/node-llama-cpp')),
  'node-llama-cpp is not installed in benchmarks/peers/llama-cpp',
).test('llama.cpp reads the file as the model is, and refuses the file of another model', async () => {
  expect(await ggufParity(at('model.gguf'), at('model'), 'f32', peer)).toMatch(
    /^parity: 24 of 24 greedy tokens and a call of a tool are those of the model, by llama\.cpp/,
  );
  await expect(ggufParity(at('other.gguf'), at('model'), 'f32', peer)).rejects.toThrow(
    'llama.cpp reads the file otherwise than the model is here',
  );
});

/**
 * Runs `onnxParity` in a separate process, since ONNX Runtime refuses typed arrays of the VM context in which Jest runs tests.
 */
async function onnxParityOf(folder: string, files: Record<string, string>): Promise<string[]> {
  const source = JSON.stringify(join(import.meta.dirname, 'onnx-parity.ts'));
  const given = [at(folder), at('model')].map((path) => JSON.stringify(path)).join();
  const program = `import { onnxParity } from ${source};
    const lines = await onnxParity(${given}, new Map(${JSON.stringify(Object.entries(files))}));
    process.stdout.write(JSON.stringify(lines));`;
  await writeFile(at('program.mjs'), program);
  const options = [...typeScriptArguments(), at('program.mjs')];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  return JSON.parse(stdout) as string[];
}

test('ONNX Runtime computes the model’s probabilities from the files of each number type, with the cache too', async () => {
  const lines = await onnxParityOf('model-onnx', {
    fp32: 'onnx/model.onnx',
    fp16: 'onnx/model_fp16.onnx',
    q8: 'onnx/model_quantized.onnx',
  });
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(
    /^parity of onnx\/model\.onnx: (\d+) of \1 greedy tokens and a call of a tool are those of the model, by ONNX Runtime/,
  );
});

test('a file with which ONNX Runtime computes other probabilities is refused', async () => {
  await expect(onnxParityOf('other-onnx', { fp32: 'onnx/model.onnx' })).rejects.toThrow(
    /export: ONNX Runtime reads the file otherwise than the model is here: the likeliest tokens differ by \d+\.\d+ nats/,
  );
});
