// transformers.js with nothing but local folders.
import { basename, dirname } from 'node:path';

interface Tensor {
  dims: number[];
  data: BigInt64Array | Float32Array;
}

interface Model {
  (inputs: Record<string, Tensor>): Promise<{ logits: Tensor }>;
  generate(options: Record<string, unknown>): Promise<Tensor>;
  dispose(): Promise<unknown>;
}

interface Tokenizer {
  encode(text: string, options?: Record<string, unknown>): number[];
  decode(ids: number[], options?: Record<string, unknown>): string;
}

/** The parts of transformers.js that are used; the installation of the repository does not have it. */
interface TransformersJs {
  AutoModelForCausalLM: { from_pretrained(name: string, options: Record<string, unknown>): Promise<Model> };
  AutoTokenizer: { from_pretrained(name: string): Promise<Tokenizer> };
  env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string; version: string };
  Tensor: new (type: string, data: BigInt64Array, dims: number[]) => Tensor;
}

const library: string = '@huggingface/transformers';
const { AutoModelForCausalLM, AutoTokenizer, env, Tensor } = (await import(library)) as TransformersJs;

env.allowRemoteModels = false;
env.allowLocalModels = true;

export const versionThere = env.version;

type Dtype = 'fp32' | 'fp16' | 'q8' | 'q4';

const row = (ids: readonly number[]) => new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]);

/** The name by which transformers.js finds a folder. */
function named(folder: string): string {
  env.localModelPath = `${dirname(folder)}/`;
  return basename(folder);
}

export interface GeneratedThere {
  /** Greedy, with the cache. */
  ids: number[];
  /** The logits of the prompt's last token and of each generated one but the last, from one run over all of them without a cache. */
  logits: Float32Array[];
}

export async function generateThere(
  folder: string,
  dtype: Dtype,
  prompt: readonly number[],
  maxNewTokens: number,
): Promise<GeneratedThere> {
  const model = await AutoModelForCausalLM.from_pretrained(named(folder), {
    dtype,
    device: 'cpu',
    session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
  });
  const output = await model.generate({
    inputs: row(prompt),
    max_new_tokens: maxNewTokens,
    do_sample: false,
    eos_token_id: null, // to the end, whatever the config names
  });
  const all = Array.from(output.data as BigInt64Array, Number);
  const inputs = all.slice(0, -1);
  const { logits } = await model({ input_ids: row(inputs), attention_mask: row(inputs.map(() => 1)) });
  const [, tokens, vocabulary] = logits.dims;
  const numbers = logits.data as Float32Array;
  const rows = Array.from({ length: tokens }, (_, at) => numbers.slice(at * vocabulary, (at + 1) * vocabulary));
  await model.dispose();
  return { ids: all.slice(prompt.length), logits: rows.slice(prompt.length - 1) };
}

export async function tokenizerThere(folder: string) {
  return AutoTokenizer.from_pretrained(named(folder));
}
