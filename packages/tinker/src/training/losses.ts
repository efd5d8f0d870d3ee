// Converts the losses of the Tinker API, with their inputs, to the losses of the models' training graphs. All losses are sums
// over tokens and sequences. At each position, p is the probability that the trained model gives the target token, q the one that
// the sampling model gave it, A the advantage, w the weight, and r = p / q.
//
//     cross_entropy         −Σ w log p
//     importance_sampling   −Σ w r A
//     ppo                   −Σ w min(r A, clip(r, low, high) A)
//     cispo                 −Σ w sg(clip(r, low, high)) A log p          sg: constant in the gradient
//     dro                   −Σ w (A log p − β/2 (log r)²)
//
// Source: https://tinker-docs.thinkingmachines.ai/tinker/losses. The following differs from it: weights are allowed together with
// q and A, and are 1 if not given.
import { cispoLoss, droLoss, ppoClipLoss } from '@bowyer/core';
import type { TokenLosses } from '@bowyer/models';
import { TrainingRequestError } from './request-error.js';
import type { Datum, LossName, LossRequest } from './trainable.js';

interface LossUnit {
  policy: TokenLosses['policy'];
  /** The allowed keys of the request's loss_fn_config, with their defaults. */
  config: Readonly<Record<string, number>>;
  /** The names of the inputs that every datum must have; the input `weights` is allowed with any loss. */
  needs: readonly string[];
  scalarsOf: (config: Readonly<Record<string, number>>) => TokenLosses['scalars'];
}

const thresholds = ({ clip_low_threshold: low, clip_high_threshold: high }: Readonly<Record<string, number>>) => ({
  low,
  high,
});
const ofRatio = ['logprobs', 'advantages'];

const lossUnits: Readonly<Record<LossName, LossUnit>> = {
  cross_entropy: { policy: 'likelihood', config: {}, needs: [], scalarsOf: () => ({}) },
  importance_sampling: {
    policy: 'clip',
    config: {},
    needs: ofRatio,
    scalarsOf: () => ({ low: 0, high: Infinity }),
  },
  ppo: {
    policy: 'clip',
    config: { clip_low_threshold: 0.8, clip_high_threshold: 1.2 },
    needs: ofRatio,
    scalarsOf: thresholds,
  },
  cispo: {
    policy: 'cispo',
    config: { clip_low_threshold: 0, clip_high_threshold: 4 },
    needs: ofRatio,
    scalarsOf: thresholds,
  },
  // Tinker's default is not published; this one is the value in the example of its documentation.
  dro: { policy: 'dro', config: { beta: 0.05 }, needs: ofRatio, scalarsOf: ({ beta }) => ({ beta }) },
};

const isLossName = (name: string): name is LossName => Object.hasOwn(lossUnits, name);

/** Throws TrainingRequestError for an unknown loss, key or input, or for an input of the wrong length. */
export function tokenLosses(data: readonly Datum[], { name, config }: LossRequest): TokenLosses {
  if (!isLossName(name))
    throw new TrainingRequestError(`loss_fn '${name}' is not served; ${Object.keys(lossUnits).join(', ')} are`);
  const unit = lossUnits[name];
  const scalars = unit.scalarsOf(readConfig(name, unit, config));
  const width = widthOf(data, name);
  data.forEach((datum, d) => checkDatum(datum, `data[${d}]`, name, unit));
  const inputs = (input: string) => data.map((datum) => datum.inputs[input]);
  return {
    policy: unit.policy,
    scalars,
    width,
    weights: data.map(({ targets, inputs: { weights } }) => weights ?? new Float32Array(targets.length).fill(1)),
    ...(unit.needs.length > 0 && { oldLogprobs: inputs('logprobs'), advantages: inputs('advantages') }),
  };
}

function readConfig(name: string, { config: defaults }: LossUnit, config: LossRequest['config']) {
  for (const [key, value] of Object.entries(config)) {
    if (!Object.hasOwn(defaults, key))
      throw new TrainingRequestError(
        `loss_fn_config has the key '${key.slice(0, 80)}', which ${name} does not read: ${Object.keys(defaults).join(', ') || 'it reads none'}`,
      );
    if (!(Number.isFinite(value) && value >= 0))
      throw new TrainingRequestError(`loss_fn_config.${key} is ${value}; it must be a number of at least 0`);
  }
  const read = { ...defaults, ...config };
  if (read.clip_low_threshold > read.clip_high_threshold)
    throw new TrainingRequestError(
      `loss_fn_config: clip_low_threshold is ${read.clip_low_threshold}, above clip_high_threshold ${read.clip_high_threshold}`,
    );
  return read;
}

function widthOf(data: readonly Datum[], name: string): number {
  const widths = new Set(data.map(({ width }) => width));
  const [width = 1] = widths;
  if (widths.size > 1)
    throw new TrainingRequestError(
      `the data have ${[...widths].join(' and ')} targets for a position; they must have the same number`,
    );
  if (!Number.isInteger(width) || width < 1)
    throw new TrainingRequestError(`target_tokens must have one column or more, and they have ${width}`);
  if (width > 1 && name !== 'cross_entropy')
    throw new TrainingRequestError(
      `target_tokens have ${width} columns: ${name} has one target for a position, cross_entropy alone several`,
    );
  return width;
}

function checkDatum({ tokens, targets, width, inputs }: Datum, where: string, name: string, { needs }: LossUnit): void {
  if (tokens.length === 0) throw new TrainingRequestError(`${where} has no token`);
  const expected = tokens.length * width;
  const shown = width === 1 ? `${tokens.length}` : `${tokens.length} × ${width}`;
  if (targets.length !== expected)
    throw new TrainingRequestError(`${where} has ${targets.length} target_tokens for ${shown} (its tokens)`);
  for (const input of needs)
    if (!inputs[input]) throw new TrainingRequestError(`${where} has no ${input}, which ${name} needs`);
  for (const [input, values] of Object.entries(inputs)) {
    if (input !== 'weights' && !needs.includes(input))
      throw new TrainingRequestError(
        `${where} has the input '${input}', which ${name} does not read: target_tokens, ${[...needs, 'weights'].join(', ')}`,
      );
    if (values.length !== expected)
      throw new TrainingRequestError(`${where} has ${values.length} ${input} for ${shown} (its tokens)`);
    const bad = values.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0) throw new TrainingRequestError(`${where}: ${input}[${bad}] is ${values[bad]}; it must be finite`);
  }
}

/** @param logprobs of the targets, [data] of [tokens × width], in nats @returns the sum over all tokens, and metrics */
export function lossValue(
  { policy, scalars, ...rows }: TokenLosses,
  logprobs: readonly Float32Array[],
): { loss: number; metrics: Record<string, number> } {
  const [all, weights] = [joined(logprobs), joined(rows.weights)];
  if (policy === 'likelihood') {
    let loss = 0;
    all.forEach((logprob, t) => (loss -= weights[t] === 0 ? 0 : weights[t] * logprob));
    return { loss, metrics: { 'loss:sum': loss } };
  }
  const tokens = {
    logprobs: all,
    oldLogprobs: joined(rows.oldLogprobs!),
    advantages: joined(rows.advantages!),
    weights,
  };
  const loss = ratioLoss(policy, scalars, tokens);
  return { loss, metrics: { 'loss:sum': loss, ...ratioMetrics(tokens) } };
}

type Tokens = Record<'logprobs' | 'oldLogprobs' | 'advantages' | 'weights', Float32Array>;

function ratioLoss(policy: TokenLosses['policy'], { low, high, beta }: TokenLosses['scalars'], tokens: Tokens): number {
  if (tokens.weights.every((weight) => weight === 0)) return 0;
  if (policy === 'cispo') return cispoLoss(tokens, { low: low!, high: high! }).loss;
  if (policy === 'dro') return droLoss(tokens, beta!).loss;
  return ppoClipLoss(tokens, { clipLow: 1 - low!, clipHigh: high! - 1, dualClip: null }).loss;
}

/** Statistics of p / q over sampled tokens; the sampling model's log-probability of others is 0, and they are left out. */
function ratioMetrics({ logprobs, oldLogprobs }: Tokens): Record<string, number> {
  let [count, kl, largest] = [0, 0, 0];
  oldLogprobs.forEach((old, t) => {
    if (old === 0) return;
    count++;
    const logRatio = logprobs[t] - old;
    kl += Math.exp(logRatio) - 1 - logRatio; // Schulman's k3 estimator, which is never negative
    largest = Math.max(largest, Math.exp(logRatio));
  });
  return count === 0 ? {} : { 'kl_sampling:mean': kl / count, 'ratio:max': largest };
}

function joined(rows: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(rows.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  for (const row of rows) {
    all.set(row, start);
    start += row.length;
  }
  return all;
}
