// Measures the perplexity of a model in each number type with llama.cpp, over stories that were written for this file, so that no
// model was trained on them: each story after the BOS token, up to the length of the context.
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { exportGguf, type TensorTypeName } from '@bowyer/models';
import { loadTokenizer } from '@bowyer/text';
import type { Sides } from './compare-models.js';

const TYPES: readonly TensorTypeName[] = ['f32', 'f16', 'bf16', 'q8_0', 'q4_0', 'q4_k'];
const CONTEXT = 256;

export async function compareQuality(sides: Sides, folders: readonly string[]): Promise<void> {
  const stories = (await readFile(new URL('stories.txt', import.meta.url), 'utf8')).trim().split('\n\n');
  for (const folder of folders) {
    const tokenizer = await loadTokenizer(folder);
    const texts = stories.map((story) => tokenizer.encodeWithSpecials(story).slice(0, CONTEXT));
    const count = texts.reduce((sum, { length }) => sum + length - 1, 0);
    console.log(`${basename(folder)}: ${texts.length} stories, ${count} tokens`);
    let exact: number | undefined;
    for (const dtype of TYPES) {
      const output = join(sides.dir, `quality-${dtype}.gguf`);
      const { notes } = await exportGguf({ dir: folder, output, dtype, merge: false, name: 'quality' });
      const perplexity = Math.exp((await surprise(sides, output, texts)) / count);
      exact ??= perplexity;
      const more = `${(100 * (perplexity / exact - 1)).toFixed(2)} %`;
      const size = `${((await stat(output)).size / 1e6).toFixed(2)} MB`;
      console.log(`  ${dtype}: perplexity ${perplexity.toFixed(4)} (${more} more than f32), ${size}`);
      for (const note of notes) console.log(`    ${note}`);
    }
  }
}

/** Sums −log p of all tokens except the first of each text. */
async function surprise({ peer, threads }: Sides, file: string, texts: readonly number[][]): Promise<number> {
  const model = await peer.loadModel({ modelPath: file, gpuLayers: 0 });
  const context = await model.createContext({ contextSize: CONTEXT, threads, flashAttention: false });
  const sequence = context.getSequence();
  let sum = 0;
  for (const ids of texts) {
    await sequence.clearHistory();
    const asked = ids.slice(0, -1).map((id) => [id, { generateNext: { probabilities: true } }] as const);
    const answers = await sequence.controlledEvaluate(asked);
    for (const [at, answer] of answers.entries()) sum -= Math.log(answer!.next.probabilities!.get(ids[at + 1])!);
  }
  await context.dispose();
  await model.dispose();
  return sum;
}
