// Compares a model here and in transformers.js: the ids of texts, and greedy tokens after the first of them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportOnnx } from '@bowyer/models';
import { loadTokenizer } from '@bowyer/text';
import { equalIds, generateHere, NEW_TOKENS } from '../export-gguf/random-model.js';
import { TYPES, type Here } from './compare-models.js';

export async function compareFolder(
  { dir, device, there, before }: Here,
  folder: string,
  at: number,
  { file, start }: { file: string; start: string },
): Promise<void> {
  const output = join(dir, `folder-${at}`);
  await exportOnnx({ dir: folder, output, precisions: TYPES.map(([dtype]) => dtype), merge: false });
  const tokenizer = await loadTokenizer(folder);
  const texts = (await readFile(file, 'utf8')).split('\n');
  const idsThere = await there.tokenIds(output, texts);
  const equal = texts.filter((text, at) => idsThere[at].join() === tokenizer.encode(text).join());
  console.log(`${folder}: ${equal.length} of ${texts.length} texts with equal tokens`);
  const tokens = tokenizer.encode(start);
  for (const [dtype, quantization] of TYPES) {
    const ours = await generateHere(device, folder, { tokens, quantization });
    const name = `${folder}, ${dtype}`;
    const result = await there.generate(output, dtype, tokens, NEW_TOKENS).then(
      ({ ids }) => {
        const other = before.get(name);
        before.set(name, { version: there.version, ids });
        const same = other === undefined ? '' : `, ${equalIds(ids, other.ids)} with transformers.js ${other.version}`;
        return `${equalIds(ours.ids, ids)} of ${NEW_TOKENS} greedy tokens equal${same}: ${tokenizer.decode(ids).slice(0, 60)}`;
      },
      (error: Error) => `does not load: ${error.message.split('\n')[0]}`,
    );
    console.log(`${name}: ${result}`);
  }
}
