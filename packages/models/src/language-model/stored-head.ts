// The output head of a weight file whose config.json says that head and token embedding are one tensor.
import { createHash } from 'node:crypto';
import type { CheckpointReader, ConfigJson } from '@bowyer/checkpoints';
import { linearWeights } from '../architecture/linear-weights.js';
import { namesOf } from '../architecture/checkpoint-layout.js';
import { architectureFor } from './architectures.js';

/**
 * Reads whether a file's head is tied, as transformers does: a head that differs from the embedding is a tensor of its own, and
 * `tie_word_embeddings` is false in the result. One that is equal is the embedding once more; one without an embedding
 * beside it is the embedding.
 *
 * @param path of the config, for messages
 * @returns the config that fits the tensors, and the tensors with an embedding
 */
export async function withStoredHead(
  json: ConfigJson,
  source: CheckpointReader,
  path: string,
): Promise<{ json: ConfigJson; source: CheckpointReader }> {
  const untied = { ...json, tie_word_embeddings: false };
  const described = architectureFor(json, path);
  const { heads, tied } = linearWeights(described);
  if (tied.length === 0) return { json, source: renamed(source, heads[0], headNames) };
  const names = new Set(described.parameters.map(({ name }) => name));
  const head = architectureFor(untied, path).parameters.find(({ name }) => !names.has(name))?.name;
  if (head === undefined) return { json, source };
  const named = renamed(source, head, headNames);
  if (!named.entries.has(head)) return { json, source };
  const [embedding] = tied;
  const stored = namesOf(embedding).find((name) => named.entries.has(name));
  if (stored === undefined) return { json, source: renamed(named, embedding, [head]) };
  return { json: (await areEqual(named, head, stored)) ? json : untied, source: named };
}

/** Names of heads in files: GPT-NeoX's is called by either, that of a model of text and images by the last. */
const headNames = ['lm_head.weight', 'embed_out.weight', 'language_model.lm_head.weight'];

/** Compares two tensors by their hashes, so that one of the two is in memory at a time. */
async function areEqual(source: CheckpointReader, a: string, b: string): Promise<boolean> {
  if (source.entries.get(a)!.shape.join() !== source.entries.get(b)!.shape.join()) return false;
  return (await hashOf(source, a)) === (await hashOf(source, b));
}

/** Bytes that a hash takes at once. */
const PIECE = 2 ** 28;

async function hashOf(source: CheckpointReader, name: string): Promise<string> {
  const { data } = await source.read(name);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const hash = createHash('sha256');
  for (let from = 0; from < bytes.length; from += PIECE) hash.update(bytes.subarray(from, from + PIECE));
  return hash.digest('hex');
}

/** Reads the same tensors, the first of `others` under the name of a tensor that the file lacks. */
function renamed(source: CheckpointReader, name: string, others: readonly string[]): CheckpointReader {
  const other = others.find((each) => source.entries.has(each));
  if (other === undefined || source.entries.has(name)) return source;
  return {
    path: source.path,
    entries: new Map([...source.entries].map(([each, info]) => [each === other ? name : each, info])),
    read: (asked, options) => source.read(asked === name ? other : asked, options),
    close: () => source.close(),
  };
}
