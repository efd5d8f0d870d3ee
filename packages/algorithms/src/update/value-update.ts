// The loss of a value function over the agent's turns: beside the policy's in one backward pass, or on a network of its own.
import { Type } from '@sinclair/typebox';
import { clippedValueLoss, mean, minibatches, nullable, oneOf, rate, share, type Rng } from '@bowyer/core';
import type { LanguageModel, TokenExample } from '@bowyer/models';
import type { Metrics, RunHooks } from '../types.js';
import type { AddedLoss, AdvantageTurn } from './policy-update.js';
import { RunningMeans } from './running-means.js';
import { packTurns, type TurnBatch } from './turn-batch.js';
import type { GaeLevel } from './value-estimate.js';

export const valueKeys = {
  value_function: oneOf(
    ['trunk', 'critic'],
    "where V comes from: a head on the policy's own trunk, or a head on a network of its own that starts as the policy does",
  ),
  value_lr: rate('learning rate of the value head; with value_function=critic of the whole network'),
  value_max_grad_norm: rate('upper bound of the global norm of the gradient of the value head, or of the critic'),
  value_coefficient: rate('weight of the value loss beside the policy loss, which acts on the shared trunk'),
  value_clip: nullable(
    rate('units of the return'),
    'how far V may move from its value at the rollout before its loss is flat, in units of the return; null: no clip',
  ),
  gae_level: oneOf(
    ['turn', 'token', 'bilevel'],
    'steps of the advantage estimate: turns with V before each utterance, tokens, or turns and then the tokens inside each (RAGEN)',
  ),
  gamma: share('discount per step of gae_level; with bilevel per turn, and 1 between the tokens of a turn'),
  lambda: share('λ of the advantage estimate; 0: one-step, 1: Monte-Carlo return'),
  bootstrap_on_limit: Type.Boolean({
    description:
      'episodes that were cut by a limit count V of their last context as what would have followed; false: nothing follows',
  }),
  whiten_advantages: Type.Boolean({
    description: 'scale the advantages of a rollout to mean 0 and standard deviation 1',
  }),
};

export interface ValueUpdateOptions {
  innerEpochs: number;
  minibatchSize: number;
  maxBatchTokens: number | null;
  scoreTerminator: boolean;
  valueLr: number;
  valueMaxGradNorm: number;
  valueCoefficient: number;
  valueClip: number | null;
  gaeLevel: GaeLevel;
}

/** Arrays are [1] for the utterance, or [tokens] of its scored tokens. */
export interface ValuedTurn extends AdvantageTurn {
  /** V at the rollout. */
  values: Float32Array;
  /** What V is trained towards. */
  returns: Float32Array;
}

/** The value loss as a part of the policy's update; the head has an optimizer of its own. */
export function valueLossOnTrunk(policy: LanguageModel, options: ValueUpdateOptions): AddedLoss<ValuedTurn> {
  const { valueCoefficient, valueLr: lr, valueMaxGradNorm: maxGradNorm } = options;
  return {
    examplesOf: (batch) => withValues(batch, options.gaeLevel),
    lossOf: ({ logprobs, values }, { turns }) => {
      const { gradient, ...loss } = valueLoss(values, turns, options);
      return {
        loss: {
          loss: valueCoefficient * loss.loss,
          gradient: new Float32Array(logprobs.length),
          valueGradient: gradient.map((slope) => valueCoefficient * slope),
        },
        metrics: valueMetrics(loss),
      };
    },
    valuesOf: ({ turns }) => ({
      ...rolloutValues(turns),
      coefficient: valueCoefficient,
      clip: options.valueClip ?? Infinity,
    }),
    step: async () => void (await policy.valueHead.optimizer.step({ lr, maxGradNorm })),
  };
}

/** `innerEpochs` passes of a network of its own over the turns, `minibatchSize` episodes per optimizer step. */
export async function updateCriticNetwork(
  { critic, hooks }: { critic: LanguageModel; hooks: Pick<RunHooks, 'progress'> },
  turns: readonly ValuedTurn[],
  rng: Rng,
  options: ValueUpdateOptions,
): Promise<Metrics> {
  const { valueLr: lr, valueMaxGradNorm: maxGradNorm, maxBatchTokens, innerEpochs, minibatchSize } = options;
  const episodes = [...new Set(turns.map(({ trajectory }) => trajectory))].map((episode) =>
    turns.filter(({ trajectory }) => trajectory === episode),
  );
  const steps = innerEpochs * Math.ceil(episodes.length / minibatchSize);
  const means = new RunningMeans();
  const norms: number[] = [];
  for (let epoch = 0; epoch < innerEpochs; epoch++)
    for (const minibatch of minibatches(episodes, minibatchSize, rng)) {
      const batch = packTurns(minibatch.flat(), options);
      const examples = withValues(batch, options.gaeLevel).map((example) => ({
        ...example,
        weights: new Float32Array(example.ids.length),
      }));
      const found = await critic.accumulateLogprobGradients(
        examples,
        ({ values }) => {
          const { gradient, ...loss } = valueLoss(values, batch.turns, options);
          return { ...loss, gradient: new Float32Array(0), valueGradient: gradient };
        },
        { maxTokens: maxBatchTokens ?? undefined },
      );
      means.add(valueMetrics(found));
      const { gradientNorm } = await critic.optimizer.step({ lr, maxGradNorm });
      await critic.valueHead.optimizer.step({ lr, maxGradNorm });
      norms.push(gradientNorm);
      hooks.progress('critic', norms.length, steps);
    }
  return { ...means.values(), 'optim/critic_gradient_norm': mean(norms) };
}

/** The examples of a batch that ask for V before each of its turns, or before each of their tokens. */
function withValues({ examples, lengths }: TurnBatch<unknown>, level: GaeLevel): TokenExample[] {
  const firsts = new Set<number>();
  lengths.reduce((token, length) => (firsts.add(token), token + length), 0);
  let token = 0;
  return examples.map((example) => ({
    ...example,
    valueWeights: example.weights.map((weight) => {
      if (weight === 0) return 0;
      return level !== 'turn' || firsts.has(token++) ? 1 : 0;
    }),
  }));
}

/** PPO's value loss, a mean over the values of a batch. */
function valueLoss(values: Float32Array, turns: readonly ValuedTurn[], { valueClip }: ValueUpdateOptions) {
  const weights = new Float32Array(values.length).fill(1 / values.length);
  return clippedValueLoss({ values, ...rolloutValues(turns), weights }, { clipRange: valueClip ?? Infinity });
}

function rolloutValues(turns: readonly ValuedTurn[]): { oldValues: Float32Array; returns: Float32Array } {
  const joined = (of: 'values' | 'returns') => Float32Array.from(turns.flatMap((turn) => [...turn[of]]));
  return { oldValues: joined('values'), returns: joined('returns') };
}

const valueMetrics = ({ loss, clipFraction }: { loss: number; clipFraction: number }): Metrics => ({
  'losses/value': loss,
  'critic/clip_fraction': clipFraction,
});
