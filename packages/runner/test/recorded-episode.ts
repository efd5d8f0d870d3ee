import { recordedInfo, spokenIds, type EpisodeRecord, type TokenSegment } from '@bowyer/core';
import type { Env } from '@bowyer/envs';

/** Plays an episode as task=play and an expert record it, with the environment's own texts. */
export async function recordedEpisode(env: Env, actions: readonly string[], seed = 7): Promise<EpisodeRecord> {
  const { observation, info } = await env.reset({ seed });
  const record: EpisodeRecord = { reset: { observation, info: recordedInfo(info) }, steps: [] };
  for (const action of actions) {
    const result = await env.step(action);
    record.steps.push({ ...result, action, info: recordedInfo(result.info) });
  }
  await env.close();
  return record;
}

/** Returns the tokens that the policy wrote, each piece after its position. */
export const writtenPieces = ({ utterances }: TokenSegment): number[][] =>
  utterances.map((one) => [one.start, ...spokenIds(one)]);

/** Returns the tokens that are learned, each piece after its position and without the token that ends a message. */
export function learnedPieces(ids: readonly number[], mask: readonly number[]): number[][] {
  const pieces: number[][] = [];
  mask.forEach((learned, i) => {
    if (!learned) return;
    if (!mask[i - 1]) pieces.push([i]);
    pieces.at(-1)!.push(ids[i]);
  });
  return pieces.map((piece) => piece.slice(0, -1));
}
