// A model of a folder here and in transformers.js: the ids of texts, and greedy tokens after the first of them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportOnnx } from '@bowyer/models';
import { loadTokenizer } from '@bowyer/text';
import { equalIds, generateHere, NEW_TOKENS } from '../export-gguf/random-model.js';
import type { Here } from './compare-models.js';
import { generateThere, tokenizerThere } from './transformers-js.js';

export async function compareFolder({ dir, device }: Here, folder: string, at: number, file: string): Promise<void> {
  const output = join(dir, `folder-${at}`);
  await exportOnnx({ dir: folder, output, precisions: ['fp32'], merge: false });
  const tokenizer = await loadTokenizer(folder);
  const peer = await tokenizerThere(output);
  const texts = (await readFile(file, 'utf8')).split('\n');
  const equal = texts.filter(
    (text) => peer.encode(text, { add_special_tokens: false }).join() === tokenizer.encode(text).join(),
  );
  console.log(`${folder}: ${equal.length} of ${texts.length} texts with equal tokens`);
  const tokens = tokenizer.encode('Questions:\n');
  const ours = await generateHere(device, folder, { tokens });
  const theirs = await generateThere(output, 'fp32', tokens, NEW_TOKENS);
  console.log(`${folder}: ${equalIds(ours.ids, theirs.ids)} of ${NEW_TOKENS} greedy tokens equal`);
}
