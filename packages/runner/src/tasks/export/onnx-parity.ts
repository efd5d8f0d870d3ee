// Checks the files of an ONNX export against the model from which they were written, by running them in the CPU build of ONNX
// Runtime, which is installed with Bowyer.
import { join } from 'node:path';
import { openOnnxFile, type OnnxSession } from '@bowyer/graph';
import type { OnnxPrecisionName } from '@bowyer/models';
import { compareWith, parityReference } from './parity.js';

/**
 * For each data type of the weights, the largest mean difference of log-probabilities, in nats, that rounding explains; a wrong
 * file differs by several nats.
 */
const ROUNDED: Readonly<Record<OnnxPrecisionName, number>> = { fp32: 0.02, fp16: 0.1, q8: 0.5, q4: 2, q4f16: 2 };

/**
 * Checks ONNX files against the model from which they were written.
 *
 * @param files the paths of the files in the folder, by data type
 * @returns a line for each file about what was compared
 * @throws where the probabilities of ONNX Runtime differ by more than rounding explains
 */
export async function onnxParity(
  folder: string,
  model: string,
  files: ReadonlyMap<OnnxPrecisionName, string>,
): Promise<string[]> {
  const reference = await parityReference(model);
  const lines: string[] = [];
  for (const [type, file] of files) {
    const session = await openOnnxFile(join(folder, file));
    try {
      const score = (ids: readonly number[], from: number) => scored(session, ids, from);
      const compared = await compareWith(reference, { name: 'ONNX Runtime', type, rounding: ROUNDED[type], score });
      lines.push(`parity of ${file}: ${compared}, by ONNX Runtime (onnxruntime-node ${session.version})`);
    } finally {
      await session.release();
    }
  }
  return lines;
}

/**
 * Computes the log-probabilities of the tokens from index `from`: it runs the prompt, and then the tokens after it with the KV
 * cache of the prompt.
 */
async function scored(
  session: OnnxSession,
  ids: readonly number[],
  from: number,
): Promise<{ logprobs: number[]; likeliest: number }> {
  const empty = Object.fromEntries(
    session.inputs
      .filter(({ name }) => name.startsWith('past_key_values.'))
      .map(({ name, shape }) => [name, { dims: [1, Number(shape[1]), 0, Number(shape[3])], data: [] }]),
  );
  const prompt = await step(session, ids.slice(0, from), 0, empty);
  const past = Object.fromEntries(
    Object.entries(prompt)
      .filter(([name]) => name !== 'logits')
      .map(([name, tensor]) => [name.replace('present', 'past_key_values'), tensor]),
  );
  const rest = ids.slice(from, -1);
  const rows = rowsOf(prompt.logits).slice(-1);
  if (rest.length > 0) rows.push(...rowsOf((await step(session, rest, from, past)).logits));
  const targets = ids.slice(from);
  return {
    logprobs: targets.map((id, i) => rows[i][id] - logSumExp(rows[i])),
    likeliest: targets.filter((id, i) => rows[i].every((logit) => logit <= rows[i][id])).length,
  };
}

type Tensors = Parameters<OnnxSession['run']>[0];

function step(session: OnnxSession, ids: readonly number[], before: number, past: Tensors) {
  const row = (data: number[]) => ({ dims: [1, data.length], data });
  return session.run({
    ...past,
    input_ids: row([...ids]),
    attention_mask: row(Array<number>(before + ids.length).fill(1)),
    position_ids: row(ids.map((_, at) => before + at)),
  });
}

function rowsOf({ dims, data }: Tensors[string]): number[][] {
  const numbers = Array.from(data);
  return Array.from({ length: dims[1] }, (_, i) => numbers.slice(i * dims[2], (i + 1) * dims[2]));
}

function logSumExp(logits: readonly number[]): number {
  const most = logits.reduce((largest, logit) => Math.max(largest, logit), -Infinity);
  return most + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - most), 0));
}
