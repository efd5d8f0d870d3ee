// V along episodes, and the advantages and returns that follow from it: per turn, per token, or first one and then the other.
import { bilevelGae, gae, type Trajectory } from '@bowyer/core';
import type { LanguageModel, TokenExample } from '@bowyer/models';
import type { Dialogues } from '../rollout/dialogue.js';
import { scoredIds } from './turn-batch.js';

/** What has a value: the context before an utterance, or before each of its tokens. */
export type GaeLevel = 'turn' | 'token' | 'bilevel';

/** V along an episode. */
export interface EpisodeValues {
  /** [turns] of V at the context before the utterance, or of [tokens] V before each scored token. */
  turns: Float32Array[];
  /** V of the context after the last turn; 0 where it was not asked for. */
  next: number;
}

export interface EpisodeEstimate {
  /** [turns] of the utterance, or of [tokens] each scored token. */
  advantages: Float32Array[];
  /** The same of A + V, what V is trained towards. */
  returns: Float32Array[];
}

interface ValueOptions {
  gaeLevel: GaeLevel;
  bootstrapOnLimit: boolean;
  scoreTerminator: boolean;
  sampling: { maxNewTokens: number };
  minibatchSize: number;
  maxBatchTokens: number | null;
}

/** V at the contexts of the agent's turns, never at what the environment wrote, and after episodes that were cut. */
export async function episodeValues(
  { model, dialogues }: { model: LanguageModel; dialogues: Dialogues },
  trajectories: readonly Trajectory[],
  options: ValueOptions,
): Promise<EpisodeValues[]> {
  const examples = trajectories.flatMap(({ segments }) =>
    segments.map(({ ids, utterances }) => {
      const positions = utterances.flatMap((utterance) =>
        Array.from(
          { length: options.gaeLevel === 'turn' ? 1 : scoredIds(utterance, options.scoreTerminator).length },
          (_, i) => utterance.start - 1 + i,
        ),
      );
      return valueExample(ids, positions);
    }),
  );
  const cut = trajectories.filter((trajectory) => bootstraps(trajectory, options));
  const room = model.contextLength - options.sampling.maxNewTokens + 1;
  const after = cut.map((trajectory) => {
    const ids = nextContext(trajectory, dialogues).slice(-room);
    return valueExample(ids, [ids.length - 1]);
  });
  const rows = await valuesInParts(model, [...examples, ...after], options);
  let segment = 0;
  let next = examples.length;
  return trajectories.map((trajectory) => {
    const turns = trajectory.transitions.map(() => new Float32Array(0));
    for (const { utterances } of trajectory.segments) {
      const row = rows[segment++];
      for (const utterance of utterances) {
        const { length } = options.gaeLevel === 'turn' ? [0] : scoredIds(utterance, options.scoreTerminator);
        turns[utterance.turn] = row.slice(utterance.start - 1, utterance.start - 1 + length);
      }
    }
    return { turns, next: bootstraps(trajectory, options) ? rows[next++].at(-1)! : 0 };
  });
}

/**
 * Generalised advantage estimation over an episode.
 *
 * @param rewards [turns]
 * @param tokenPenalties [turns] of [tokens], subtracted from the reward of each scored token; empty: none
 */
export function episodeEstimate(
  trajectory: Trajectory,
  values: EpisodeValues,
  tokenPenalties: readonly Float32Array[],
  options: Pick<ValueOptions, 'gaeLevel' | 'bootstrapOnLimit'> & { gamma: number; lambda: number },
): EpisodeEstimate {
  const { gaeLevel, gamma, lambda } = options;
  const rewards = trajectory.transitions.map(({ reward }) => reward);
  const lengths = values.turns.map(({ length }) => length);
  const penaltyOf = (turn: number) => (tokenPenalties[turn] ?? []).reduce((sum, penalty) => sum + penalty, 0);
  const flat = Float32Array.from(values.turns.flatMap((own) => [...own]));
  const terminated = !bootstraps(trajectory, options);
  if (gaeLevel === 'bilevel') {
    const turnRewards = Float32Array.from(rewards, (reward, turn) => reward - penaltyOf(turn));
    const episode = { lengths, rewards: turnRewards, values: flat, nextValue: values.next, terminated };
    return perTurn(bilevelGae(episode, { gamma, lambda, tokenGamma: 1 }), lengths);
  }
  const steps = rewards.flatMap((reward, turn) => {
    if (gaeLevel === 'turn') return [reward - penaltyOf(turn)];
    const last = lengths[turn] - 1;
    return Array.from(
      { length: lengths[turn] },
      (_, t) => (t === last ? reward : 0) - (tokenPenalties[turn]?.[t] ?? 0),
    );
  });
  const ends = (isSet: boolean) => Uint8Array.from(steps, (_, i) => +(isSet && i === steps.length - 1));
  const input = {
    rewards: Float32Array.from(steps),
    values: flat,
    nextValues: Float32Array.of(...flat.slice(1), values.next),
    terminated: ends(terminated),
    truncated: ends(!terminated),
  };
  return perTurn(gae(input, { gamma, lambda }), lengths);
}

/** Whether more lay beyond the end of an episode, and counts. */
const bootstraps = ({ transitions }: Trajectory, { bootstrapOnLimit }: { bootstrapOnLimit: boolean }): boolean =>
  bootstrapOnLimit && transitions.at(-1)!.truncated;

/** As many examples at once as sequences in an update. */
async function valuesInParts(
  model: LanguageModel,
  examples: readonly TokenExample[],
  { minibatchSize, maxBatchTokens }: ValueOptions,
): Promise<Float32Array[]> {
  const rows: Float32Array[] = [];
  for (let start = 0; start < examples.length; start += minibatchSize) {
    const part = examples.slice(start, start + minibatchSize);
    for (const row of await model.values(part, { maxTokens: maxBatchTokens ?? undefined })) rows.push(row);
  }
  return rows;
}

function valueExample(ids: readonly number[], positions: readonly number[]): TokenExample {
  const valueWeights = new Float32Array(ids.length);
  for (const position of positions) valueWeights[position] = 1;
  return {
    ids: Int32Array.from(ids),
    targets: new Int32Array(ids.length),
    weights: new Float32Array(ids.length),
    valueWeights,
  };
}

/** What the policy would have read next, in tokens. */
function nextContext({ transitions, segments }: Trajectory, dialogues: Dialogues): number[] {
  const { observation, nextObservation } = transitions.at(-1)!;
  const { ids, utterances } = segments.at(-1)!;
  const utterance = utterances.at(-1)!;
  const before = ids.slice(0, utterance.start);
  const dialogue = dialogues.open();
  dialogue.advance({ turn: 0, observation, ids: before }, []);
  dialogue.decide({ ...utterance, logprobs: Float32Array.from(utterance.logprobs), contextTokens: before.length });
  const { keep, tokens } = dialogue.advance({ turn: 1, observation: nextObservation }, ids);
  return [...ids.slice(0, keep), ...tokens];
}

function perTurn(
  { advantages, returns }: { advantages: Float32Array; returns: Float32Array },
  lengths: readonly number[],
): EpisodeEstimate {
  const split = (all: Float32Array) => {
    let start = 0;
    return lengths.map((length) => all.slice(start, (start += length)));
  };
  return { advantages: split(advantages), returns: split(returns) };
}
