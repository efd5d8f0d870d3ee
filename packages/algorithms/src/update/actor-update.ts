// The policy's half of ArCHer: REINFORCE on the tokens of utterances whose advantages are given.
// Source: Zhou et al. 2024, arXiv:2402.19446, section 3.3; loss and metrics from the authors' code at 7c771a7, the token-level baseline
// from a branch of that code that its configs cannot reach. Importance weights and the KL to the start are additions.
import { Type } from '@sinclair/typebox';
import { mean, nullable, rate, tdLoss, type ConfigProblem } from '@bowyer/core';
import type { LanguageModel, TokenExample } from '@bowyer/models';
import type { Metrics, ReplayItem } from '../types.js';
import type { ReferencePolicy } from '../unit.js';
import { weightOf } from './importance-weights.js';
import { referenceKeys } from './kl-reference.js';
import { summary } from './summary.js';
import { packTurns, scoreTurns, type TurnBatch } from './turn-batch.js';

export const actorLossKeys = {
  kl_coefficient: Type.Number({
    minimum: 0,
    description:
      'weight of the KL of the policy from its start, in units of return per nat, subtracted from what each token is credited with; 0: none, as in ArCHer',
  }),
  ...referenceKeys,
  use_baseline: Type.Boolean({
    description:
      'subtract a learned value of the tokens said so far from what each token is credited with: a network of its own that starts as the policy does',
  }),
  baseline_lr: nullable(rate('learning rate'), 'learning rate of that network; null: that of the policy'),
};

export interface ActorLossOptions {
  scoreTerminator: boolean;
  /** Bound of importance weights; null: none. */
  importanceClip: number | null;
  /** β */
  klCoefficient: number;
}

/** A problem where the baseline's rate is given and there is none. */
export function baselineProblems({
  useBaseline,
  baselineLr,
}: {
  useBaseline: boolean;
  baselineLr: number | null;
}): ConfigProblem[] {
  if (useBaseline || baselineLr === null) return [];
  return [
    {
      key: 'baseline_lr',
      message: `baseline_lr=${baselineLr}: without use_baseline=true nothing has this learning rate`,
      remedy: 'write use_baseline=true, or baseline_lr=null',
    },
  ];
}

/** An utterance and A(s, a) of the critic. */
export interface JudgedUtterance extends ReplayItem {
  advantage: number;
}

export interface Actor {
  policy: LanguageModel;
  /** Null without `klCoefficient`. */
  reference: ReferencePolicy | null;
  /** The model whose value head is the baseline; null: none. */
  baseline: LanguageModel | null;
}

type Judged = JudgedUtterance & { refLogprobs: Float32Array };

/**
 * Adds the gradients of the token-level losses of one micro-batch:
 *
 *     L   = −mean_B ρ Σ_t sg(G_t − b_t) log π(a_t | s, a_<t),     G_t = A(s, a) − β Σ_{k≥t} log π(a_k | ·) / π_0(a_k | ·)
 *     L_b = mean over all tokens of (b(s, a_<t) − sg(G_t))²
 *
 * With β = 0, ρ = 1 and b = 0 this is ArCHer's −mean A log π(a|s). What a token is credited with leaves out the KL of the tokens before
 * it, and b_t depends on them alone: neither depends on a_t, so the gradient's mean stays the same and only its variance falls.
 */
export async function accumulateActor(
  { policy, reference, baseline }: Actor,
  utterances: readonly JudgedUtterance[],
  options: ActorLossOptions,
): Promise<Metrics> {
  const refs = await referenceLogprobs(reference, utterances, options);
  const batch = packTurns(
    utterances.map((utterance, i) => ({ ...utterance, refLogprobs: refs[i] })),
    options,
  );
  if (batch.turns.length === 0) return { 'losses/policy': 0 };
  const isScored = options.klCoefficient > 0 || options.importanceClip !== null;
  const logprobs = isScored ? tokensOf(batch.examples, await policy.logprobs(batch.examples)) : null;
  const { credits, rhos, metrics } = creditsOf(batch, logprobs, options);
  const values = baseline && tokensOf(batch.examples, await baseline.values(withValues(batch.examples)));
  const residuals = values ? credits.map((credit, t) => credit - values[t]) : credits;
  const weights = residuals.map((residual, t) => (rhos[t] * residual) / utterances.length);
  const { loss } = await policy.accumulateGradients(withWeights(batch.examples, weights));
  return {
    'losses/policy': loss,
    ...metrics,
    ...(baseline && {
      'losses/baseline': await accumulateBaseline(baseline, batch.examples, credits),
      ...summary('actor/values', values!),
      ...summary('actor/residual_advantages', residuals),
    }),
  };
}

/** L_b. @param credits [N] G of the tokens, in order */
async function accumulateBaseline(
  baseline: LanguageModel,
  examples: readonly TokenExample[],
  credits: Float32Array,
): Promise<number> {
  const mean = new Float32Array(credits.length).fill(1 / credits.length);
  const silent = withValues(examples).map((example) => ({ ...example, weights: new Float32Array(example.ids.length) }));
  const { loss } = await baseline.accumulateLogprobGradients(silent, ({ values }) => {
    const { loss, gradient: valueGradient } = tdLoss(values, credits, mean);
    return { loss, gradient: new Float32Array(0), valueGradient };
  });
  return loss;
}

/**
 * G and ρ of every token.
 *
 * @param logprobs [N] of the tokens now; null where neither KL nor ρ is asked for
 * @returns [N] each
 */
function creditsOf(
  { turns, lengths }: TurnBatch<Judged>,
  logprobs: Float32Array | null,
  { klCoefficient, importanceClip }: ActorLossOptions,
): { credits: Float32Array; rhos: Float32Array; metrics: Metrics } {
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const [credits, rhos] = [new Float32Array(tokens), new Float32Array(tokens).fill(1)];
  const divergences: number[] = [];
  let end = 0;
  turns.forEach((turn, i) => {
    const start = end;
    end += lengths[i];
    if (importanceClip !== null) rhos.fill(weightOf(turn, logprobs!.subarray(start, end), importanceClip), start, end);
    let divergence = 0; // of this token and the later ones
    for (let t = end - 1; t >= start; t--) {
      if (klCoefficient > 0) divergence += logprobs![t] - turn.refLogprobs[t - start];
      credits[t] = turn.advantage - klCoefficient * divergence;
    }
    divergences.push(divergence);
  });
  const metrics = {
    ...(klCoefficient > 0 && { 'actor/kl_to_start': mean(divergences) }),
    ...(importanceClip !== null && { 'actor/importance_weight_mean': mean(rhos) }),
  };
  return { credits, rhos, metrics };
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

/** [N] numbers of the tokens with a weight, in order. */
const tokensOf = (examples: readonly TokenExample[], rows: readonly Float32Array[]): Float32Array =>
  Float32Array.from(examples.flatMap(({ weights }, e) => [...rows[e]].filter((_, t) => weights[t] !== 0)));

/** The examples with other weights of their tokens. @param weights [N], in order */
function withWeights(examples: readonly TokenExample[], weights: Float32Array): TokenExample[] {
  let next = 0;
  return examples.map((example) => ({
    ...example,
    weights: example.weights.map((weight) => (weight === 0 ? 0 : weights[next++])),
  }));
}

/** The examples that ask for V before each of their tokens. */
const withValues = (examples: readonly TokenExample[]): TokenExample[] =>
  examples.map((example) => ({ ...example, valueWeights: example.weights }));
