// Writes trajectories/test.jsonl with every episode of a final test, so that runs can be compared episode by episode. The first
// episodes of each policy are stored with their tokens.
import { join } from 'node:path';
import type { Decoding } from '@bowyer/algorithms';
import { type Trajectory, toRecord, JsonlFile, type TokenTexts } from '@bowyer/core';

/** The number of first episodes of each policy whose tokens are stored too. */
const WITH_TOKENS = 32;

interface TestedPolicy {
  name: string;
  decoding: Decoding;
  trajectories: readonly Trajectory[];
}

export async function storeTest(
  directory: string,
  tested: readonly TestedPolicy[],
  texts: TokenTexts | undefined,
): Promise<void> {
  const file = await JsonlFile.open(join(directory, 'trajectories', 'test.jsonl'), 0);
  for (const { name, decoding, trajectories } of tested)
    for (const [i, trajectory] of trajectories.entries()) {
      const record = toRecord(i < WITH_TOKENS ? trajectory : { ...trajectory, segments: [] }, 0, texts);
      await file.append({ ...record, policy: name, decoding, split: 'test' });
    }
}
