// The policy's half of ArCHer: REINFORCE on the tokens of utterances whose advantages are given.
// Source: Zhou et al. 2024, arXiv:2402.19446, section 3.3; loss and metrics from the authors' code at 7c771a7. Importance weights and the
// KL to the start are additions.
import { Type } from '@sinclair/typebox';
import { mean, policyGradientLoss, type TokenLoss } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import type { Metrics, ReplayItem } from '../types.js';
import type { ReferencePolicy } from '../unit.js';
import { weightOf } from './importance-weights.js';
import { packTurns, scoreTurns, type TurnBatch } from './turn-batch.js';
import { weightedExamples } from './turn-weights.js';

export const klCoefKey = {
  kl_coef: Type.Number({
    minimum: 0,
    description:
      'weight of the KL of the policy from its start, in units of return per nat, subtracted from what each token is credited with; 0: none, as in ArCHer',
  }),
};

export interface ActorLossOptions {
  scoreTerminator: boolean;
  /** Bound of importance weights; null: none. */
  importanceClip: number | null;
  /** β */
  klCoef: number;
}

/** An utterance and A(s, a) of the critic. */
export interface JudgedUtterance extends ReplayItem {
  advantage: number;
}

type Actor = { policy: LanguageModel; reference: ReferencePolicy | null };
type Judged = JudgedUtterance & { refLogprobs: Float32Array };

/**
 * Adds the gradient of the token-level loss of one micro-batch:
 *
 *     L = −mean_B ρ Σ_t sg(G_t) log π(a_t | s, a_<t),     G_t = A(s, a) − β Σ_{k≥t} log π(a_k | ·) / π_0(a_k | ·)
 *
 * With β = 0 and ρ = 1 this is ArCHer's −mean A log π(a|s). The tokens before t are not credited with their own KL: their sum does not
 * depend on a_t.
 */
export async function accumulateActor(
  { policy, reference }: Actor,
  utterances: readonly JudgedUtterance[],
  options: ActorLossOptions,
): Promise<Metrics> {
  const refs = await referenceLogprobs(reference, utterances, options);
  const scale = 1 / utterances.length;
  const batch = packTurns(
    utterances.map((utterance, i) => ({ ...utterance, weight: utterance.advantage * scale, refLogprobs: refs[i] })),
    options,
  );
  if (batch.turns.length === 0) return { 'losses/policy': 0 };
  if (options.klCoef === 0 && options.importanceClip === null)
    return { 'losses/policy': (await policy.accumulateGradients(weightedExamples(batch))).loss };
  let metrics: Metrics = {};
  await policy.accumulateLogprobGradients(batch.examples, ({ logprobs }) => {
    const found = actorLoss(logprobs, batch, scale, options);
    metrics = { 'losses/policy': found.loss.loss, ...found.metrics };
    return found.loss;
  });
  return metrics;
}

/** @param logprobs [N] of the batch's tokens, now */
function actorLoss(
  logprobs: Float32Array,
  batch: TurnBatch<Judged>,
  scale: number,
  { klCoef, importanceClip }: ActorLossOptions,
): { loss: TokenLoss; metrics: Metrics } {
  const credits = new Float32Array(logprobs.length);
  const weights = new Float32Array(logprobs.length);
  const rhos: number[] = [];
  const divergences: number[] = [];
  let end = 0;
  batch.turns.forEach((turn, i) => {
    const start = end;
    end += batch.lengths[i];
    const own = logprobs.subarray(start, end);
    const rho = importanceClip === null ? 1 : weightOf(turn, own, importanceClip);
    weights.fill(rho * scale, start, end);
    rhos.push(rho);
    let divergence = 0; // of this token and the later ones
    for (let t = end - 1; t >= start; t--) {
      if (klCoef > 0) divergence += logprobs[t] - turn.refLogprobs[t - start];
      credits[t] = turn.advantage - klCoef * divergence;
    }
    divergences.push(divergence);
  });
  return {
    loss: policyGradientLoss({ logprobs, advantages: credits, weights }),
    metrics: {
      ...(klCoef > 0 && { 'actor/kl_to_start': mean(divergences) }),
      ...(importanceClip !== null && { 'actor/importance_weight_mean': mean(rhos) }),
    },
  };
}

/** [utterances] of [tokens] */
const referenceLogprobs = (
  reference: ReferencePolicy | null,
  utterances: readonly JudgedUtterance[],
  options: ActorLossOptions,
): Promise<Float32Array[]> | Float32Array[] =>
  reference === null
    ? utterances.map(() => new Float32Array(0))
    : scoreTurns((examples) => reference.logprobs(examples), utterances, options);
