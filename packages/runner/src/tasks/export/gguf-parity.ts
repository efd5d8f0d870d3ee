// Checks an exported GGUF file against the model from which it was written, by running the file in llama.cpp, if node-llama-cpp
// is installed in the user's project. The log-probabilities must agree, and llama.cpp must tokenize a dialogue as the model's
// tokenizer does.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TensorTypeName } from '@bowyer/models';
import type { Tokenizer } from '@bowyer/text';
import { compareWith, parityReference } from './parity.js';

/** The members of node-llama-cpp's interface that are used here. */
interface Llama {
  loadModel(options: object): Promise<LlamaModel>;
  dispose(): Promise<void>;
}

interface LlamaModel {
  tokenize(text: string, specialTokens: boolean): number[];
  createContext(options: object): Promise<{ getSequence(): LlamaSequence; dispose(): Promise<void> }>;
  dispose(): Promise<void>;
}

interface LlamaSequence {
  controlledEvaluate(
    tokens: readonly (readonly [number, object])[],
  ): Promise<({ next: { probabilities?: Map<number, number> } } | undefined)[]>;
}

const PACKAGE = 'node-llama-cpp';

/**
 * For each data type of the weights, the largest mean difference of log-probabilities, in nats, that rounding explains; a wrong
 * file differs by several nats.
 */
const ROUNDED: Readonly<Record<TensorTypeName, number>> = {
  f32: 0.02,
  f16: 0.1,
  bf16: 0.2,
  q8_0: 0.5,
  q4_0: 2,
  q4_k: 2,
};

/**
 * @param project the folder in which, or above which, node-llama-cpp is installed
 * @returns a line about what was compared, or why nothing was compared
 * @throws where llama.cpp tokenizes differently, or where the probabilities differ by more than rounding explains
 */
export async function ggufParity(
  file: string,
  model: string,
  dtype: TensorTypeName,
  project = process.cwd(),
): Promise<string> {
  const folder = installed(project);
  if (folder === null)
    return `parity was not checked: ${PACKAGE} is not installed here (npm install ${PACKAGE}), with which llama.cpp would run the file`;
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  const { getLlama } = (await import(pathToFileURL(join(folder, 'dist/index.js')).href)) as {
    getLlama(options: object): Promise<Llama>;
  };
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' });
  try {
    const there = await llama.loadModel({ modelPath: file, gpuLayers: 0 }).catch((error: Error) => {
      throw new Error(`export: llama.cpp of ${PACKAGE} ${version} cannot load the file: ${error.message}`, {
        cause: error,
      });
    });
    try {
      const compared = await compare(model, there, dtype);
      return `parity: ${compared}, by llama.cpp (${PACKAGE} ${version})`;
    } finally {
      await there.dispose();
    }
  } finally {
    await llama.dispose();
  }
}

/** Returns the folder of node-llama-cpp in a project or in a folder above it; null where it is not installed. */
function installed(project: string): string | null {
  for (let folder = project; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', PACKAGE);
    if (existsSync(join(found, 'dist/index.js'))) return found;
    if (folder === dirname(folder)) return null;
  }
}

async function compare(folder: string, there: LlamaModel, dtype: TensorTypeName): Promise<string> {
  const reference = await parityReference(folder);
  checkTokens(reference.dialogue.text, reference.tokenizer, there);
  return compareWith(reference, {
    name: 'llama.cpp',
    type: dtype,
    rounding: ROUNDED[dtype],
    async score(ids, from) {
      const context = await there.createContext({ contextSize: ids.length + 8, flashAttention: false });
      try {
        return await scoredThere(context.getSequence(), ids, from);
      } finally {
        await context.dispose();
      }
    },
  });
}

/** Throws where the model's tokenizer and llama.cpp divide the text differently. */
function checkTokens(text: string, tokenizer: Tokenizer, there: LlamaModel): void {
  const [here, engine] = [tokenizer.encode(text), there.tokenize(text, true)];
  if (here.join() === engine.join()) return;
  const at = here.findIndex((id, i) => engine[i] !== id);
  const [ours, theirs] = [here, engine].map((ids) =>
    JSON.stringify(tokenizer.decode(ids.slice(Math.max(at, 0)).slice(0, 4), { keepSpecialTokens: true })),
  );
  throw new Error(
    `export: llama.cpp cuts a text into other tokens than the model's tokenizer: from token ${at} on ${theirs}, here ${ours}\n` +
      "  nothing was written; please report the model's tokenizer.json, and use task.format=onnx or task.format=hf",
  );
}

/** Log-probabilities of the tokens from index `from`, and how many of these tokens are the most likely ones. */
async function scoredThere(
  sequence: LlamaSequence,
  ids: readonly number[],
  from: number,
): Promise<{ logprobs: number[]; likeliest: number }> {
  const options = (i: number) => (i + 1 < from ? {} : { generateNext: { probabilities: true } });
  const evaluated = await sequence.controlledEvaluate(ids.slice(0, -1).map((id, i) => [id, options(i)] as const));
  const next = evaluated.slice(from - 1).map((one) => one!.next.probabilities!);
  return {
    logprobs: next.map((probabilities, i) => Math.log(probabilities.get(ids[from + i]) ?? 0)),
    // The keys of the map are sorted by probability, so that the first one is the most likely token.
    likeliest: next.filter((probabilities, i) => probabilities.keys().next().value === ids[from + i]).length,
  };
}
