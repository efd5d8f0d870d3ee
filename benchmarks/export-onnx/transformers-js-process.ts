// A process that answers requests with one version of transformers.js, using only local folders:
//   node --import tsx benchmarks/export-onnx/transformers-js-process.ts PACKAGE
import { basename, dirname } from 'node:path';
import type { Dtype, Generated, Question } from './transformers-js.js';

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

/** The part of transformers.js that is used; this repository does not install it. */
interface TransformersJs {
  AutoModelForCausalLM: { from_pretrained(name: string, options: Record<string, unknown>): Promise<Model> };
  AutoTokenizer: { from_pretrained(name: string): Promise<Tokenizer> };
  env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string; version: string };
  Tensor: new (type: string, data: BigInt64Array, dims: number[]) => Tensor;
}

const { AutoModelForCausalLM, AutoTokenizer, env, Tensor } = (await import(process.argv[2])) as TransformersJs;

env.allowRemoteModels = false;
env.allowLocalModels = true;

/** Returns the name under which the library finds a folder. */
function named(folder: string): string {
  env.localModelPath = `${dirname(folder)}/`;
  return basename(folder);
}

async function generated(
  folder: string,
  dtype: Dtype,
  prompt: readonly number[],
  maxNewTokens: number,
): Promise<Generated> {
  const row = (ids: readonly number[]) => new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]);
  const model = await AutoModelForCausalLM.from_pretrained(named(folder), {
    dtype,
    device: 'cpu',
    session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
  });
  const output = await model.generate({
    inputs: row(prompt),
    max_new_tokens: maxNewTokens,
    do_sample: false,
    eos_token_id: null, // generate up to the length, whatever the config's end token
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

async function tokenIds(folder: string, texts: readonly string[]): Promise<number[][]> {
  const tokenizer = await AutoTokenizer.from_pretrained(named(folder));
  return texts.map((text) => tokenizer.encode(text, { add_special_tokens: false }));
}

process.on('message', ({ id, question }: { id: number; question: Question }) => {
  const answer =
    'texts' in question
      ? tokenIds(question.folder, question.texts)
      : generated(question.folder, question.dtype, question.prompt, question.maxNewTokens);
  answer.then(
    (value) => process.send!({ id, value }),
    (error: unknown) => process.send!({ id, error: String(error) }),
  );
});
process.send!({ version: env.version });
