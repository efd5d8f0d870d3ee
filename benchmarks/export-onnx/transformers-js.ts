// transformers.js with nothing but local folders.
import { AutoModelForCausalLM, AutoTokenizer, env, Tensor } from '@huggingface/transformers';
import { basename, dirname } from 'node:path';

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
  const output = (await model.generate({
    inputs: row(prompt),
    max_new_tokens: maxNewTokens,
    do_sample: false,
    ...({ eos_token_id: null } as object), // to the end, whatever the config names
  })) as Tensor;
  const all = Array.from(output.data as BigInt64Array, Number);
  const inputs = all.slice(0, -1);
  const { logits } = (await model({ input_ids: row(inputs), attention_mask: row(inputs.map(() => 1)) })) as {
    logits: Tensor;
  };
  const [, tokens, vocabulary] = logits.dims;
  const numbers = logits.data as Float32Array;
  const rows = Array.from({ length: tokens }, (_, at) => numbers.slice(at * vocabulary, (at + 1) * vocabulary));
  await model.dispose();
  return { ids: all.slice(prompt.length), logits: rows.slice(prompt.length - 1) };
}

export async function tokenizerThere(folder: string) {
  return AutoTokenizer.from_pretrained(named(folder));
}
