// Reads checkpoints that contain a separate output head although their config.json says that the head is tied to the embedding.
import { createHash } from 'node:crypto';
import type { CheckpointReader, ConfigJson } from '@bowyer/checkpoints';
import { linearWeights } from '../architecture/linear-weights.js';
import { namesOf } from '../architecture/checkpoint-layout.js';
import { architectureFor } from './architectures.js';

/**
 * Decides, as transformers does, whether the output head is tied. If the file's head differs from the embedding,
 * `tie_word_embeddings` becomes false; if it is equal, it is ignored; without an embedding in the file, the head is used as one.
 *
 * @param path the path of the config, for error messages
 * @returns the config that fits the tensors, and a reader of the tensors in which the embedding exists
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

/** The output head's names: GPT-NeoX's checkpoints may have either of the first two, models of text and images the last. */
const headNames = ['lm_head.weight', 'embed_out.weight', 'language_model.lm_head.weight'];

/** Returns whether two tensors are equal. It compares their hashes, so that only one of them is in memory at a time. */
async function areEqual(source: CheckpointReader, a: string, b: string): Promise<boolean> {
  if (source.entries.get(a)!.shape.join() !== source.entries.get(b)!.shape.join()) return false;
  return (await hashOf(source, a)) === (await hashOf(source, b));
}

/** The most bytes that are passed to the hash function at a time. */
const PIECE = 2 ** 28;

async function hashOf(source: CheckpointReader, name: string): Promise<string> {
  const { data } = await source.read(name);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const hash = createHash('sha256');
  for (let from = 0; from < bytes.length; from += PIECE) hash.update(bytes.subarray(from, from + PIECE));
  return hash.digest('hex');
}

/** Returns a reader with the first tensor of `others` that the file has as `name`, if it has no tensor `name`. */
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
