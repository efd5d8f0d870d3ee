import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GgufFile } from '@bowyer/checkpoints';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { exportGguf, LanguageModel, type TensorTypeName } from '@bowyer/models';
import { HuggingFaceTokenizer } from '@bowyer/text';
import { jsonLines, triedCase } from '../cases.js';
import { outputOf } from '../programs.js';
import type { CaseResult, Suite } from '../suite.js';

/** The contents of a file according to the package: metadata by key, and by tensor its shape and its numbers in base 64. */
interface Contents {
  metadata?: Record<string, unknown>;
  tensors?: Record<string, [shape: number[], numbers: string]>;
}

/** Returns the difference between a file as it is read here and the package's contents; null without one. */
async function difference(path: string, { metadata = {}, tensors = {} }: Contents): Promise<string | null> {
  const file = await GgufFile.open(path);
  try {
    for (const [key, value] of Object.entries(metadata)) {
      const found = file.metadata.get(key);
      const expected = typeof value === 'number' && found !== value ? Math.fround(value) : value;
      if (JSON.stringify(found) !== JSON.stringify(expected)) return `${key}: ${JSON.stringify(found)?.slice(0, 80)}`;
    }
    for (const [name, [shape, numbers]] of Object.entries(tensors)) {
      if (file.tensors.get(name)?.shape.join() !== shape.join()) return `${name}: another shape`;
      const expected = new Float32Array(Uint8Array.from(Buffer.from(numbers, 'base64')).buffer);
      const at = (await file.read(name)).findIndex((x, i) => x !== expected[i]);
      if (at >= 0) return `${name}: number ${at} differs`;
    }
    return null;
  } finally {
    await file.close();
  }
}

/** Writes a small model in each number type that Bowyer exports. */
async function exportedFiles(work: string): Promise<Record<string, string>> {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  try {
    const vocab = Object.fromEntries([...'abcdefgh'].map((letter, id) => [letter, id]));
    const tokenizer = new HuggingFaceTokenizer(
      {
        pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
        decoder: { type: 'ByteLevel' },
        model: { type: 'BPE', vocab, merges: [] },
      },
      { eos_token: 'h' },
    );
    const model = await LanguageModel.create({
      device,
      config: {
        model_type: 'llama',
        vocab_size: 8,
        hidden_size: 256,
        intermediate_size: 256,
        num_hidden_layers: 1,
        num_attention_heads: 4,
        num_key_value_heads: 2,
        max_position_embeddings: 32,
      },
      tokenizer,
      rng: new Rng(1),
    });
    const dir = join(work, 'model');
    await model.save(dir);
    const types: TensorTypeName[] = ['f32', 'f16', 'bf16', 'q8_0', 'q4_0', 'q4_k'];
    const files: Record<string, string> = {};
    for (const dtype of types) {
      const output = join(work, `exported-${dtype}.gguf`);
      await exportGguf({ dir, output, dtype, merge: false, name: 'small' });
      files[dtype] = output;
    }
    return files;
  } finally {
    await device.close();
  }
}

const suite: Suite = {
  title: 'gguf package',
  against: '`@bowyer/checkpoints` as reader, `task=export task.format=gguf` as writer',
  sources: [{ pip: 'gguf', version: '0.19.0' }],
  inCheck: false,
  notes:
    'Files that the package writes (each type of value, of array and of numbers, shapes, alignments) are read here, and files that are exported here in six types are read by the package: ' +
    'metadata and every number must be the same.',
  async run({ folders: [folder], work }) {
    const dump = (...given: string[]) =>
      outputOf([join(folder, 'bin/python'), join(import.meta.dirname, 'dump.py'), ...given], work);
    await dump('write', work);
    const written = JSON.parse(readFileSync(join(work, 'written.json'), 'utf8')) as Record<string, Contents>;
    const cases: CaseResult[] = [];
    for (const [name, contents] of Object.entries(written))
      cases.push(
        await triedCase(`written by the package, ${name}`, () => difference(join(work, `${name}.gguf`), contents)),
      );
    const files = await exportedFiles(work);
    const read = jsonLines<Contents>(await dump('read', ...Object.values(files)));
    for (const [i, [dtype, path]] of Object.entries(files).entries())
      cases.push(await triedCase(`read by the package, ${dtype}`, () => difference(path, read[i])));
    return cases;
  },
};

export default suite;
