// Computes PPO's values, advantages and returns, and trains V: in the policy's backward pass, or on a separate network.
import type { TObject } from '@sinclair/typebox';
import {
  bilevelGae,
  choice,
  flag,
  fraction,
  gae,
  group,
  mean,
  minibatches,
  optional,
  positive,
  type OptionsOf,
  type Rng,
  type Trajectory,
} from '@bowyer/core';
import type { LanguageModel, TokenExample } from '@bowyer/models';
import { gammaOption } from '../learning/learning-options.js';
import { RunningMeans } from '../learning/metric-means.js';
import { packTurns, scoredIds, type TurnBatch } from '../learning/pack-turns.js';
import type { Dialogues } from '../rollout/dialogue.js';
import type { Metrics, RunHooks } from '../rollout/run-hooks.js';
import { valueLoss, valueMetrics, type AdvantageTurn, type SurrogateOptions, type TrunkValue } from './policy-loss.js';

export const valueOptions = {
  gamma: gammaOption(
    0.99,
    'discount per turn, with algorithm.advantage.level=token per token; with bilevel it is 1 between the tokens of a turn',
  ),
  value: group(
    {
      function: choice(
        ['trunk', 'critic'],
        'trunk',
        "network of V: a head on the policy's own trunk, or a separate network with a head, which starts as a copy of the policy",
        { flat: 'value_function' },
      ),
      lr: positive(1e-5, 'learning rate of the value head; with algorithm.value.function=critic of the whole network', {
        flat: 'value_lr',
      }),
      max_grad_norm: positive(1, 'upper bound of the global norm of the gradient of the value head, or of the critic', {
        flat: 'value_max_grad_norm',
      }),
      coefficient: positive(0.5, 'weight of the value loss beside the policy loss, which acts on the shared trunk', {
        flat: 'value_coefficient',
      }),
      clip: optional(
        positive,
        'how far V may move from its value at the rollout before its loss is flat, in units of the return; null: no clip',
        { flat: 'value_clip', default: 0.2 },
      ),
      bootstrap_on_limit: flag(true, 'bootstrap from V of the last context of a truncated episode; false: from 0', {
        flat: 'bootstrap_on_limit',
      }),
    },
    'the value function V',
  ),
  advantage: group(
    {
      level: choice(
        ['turn', 'token', 'bilevel'],
        'turn',
        'time steps of the advantage estimate. turn: turns, with V before each utterance; token: tokens; bilevel: turns, and then the tokens inside each (RAGEN)',
        { flat: 'gae_level' },
      ),
      lambda: fraction(0.9, 'λ of the advantage estimate; 0: one-step, 1: Monte-Carlo return', { flat: 'lambda' }),
      whiten: flag(true, 'scale the advantages of all turns of an iteration to mean 0 and standard deviation 1', {
        flat: 'whiten_advantages',
      }),
    },
    'generalised advantage estimation',
  ),
};

/** The contexts at which V is computed: before each utterance (`turn`), or before each of its tokens (`token`, `bilevel`). */
type GaeLevel = 'turn' | 'token' | 'bilevel';

interface EpisodeValues {
  /** V by [turns]: before the utterance, or before each scored token ([tokens]). */
  turns: Float32Array[];
  /** V of the context after the last turn; 0 where it was not computed. */
  next: number;
}

interface EpisodeEstimate {
  /** The advantages by [turns]: of the utterance, or of each scored token ([tokens]). */
  advantages: Float32Array[];
  /** A + V in the same shape: the targets of V. */
  returns: Float32Array[];
}

type ValueOptions = OptionsOf<TObject<typeof valueOptions>>;

interface ReadingOptions extends Pick<ValueOptions, 'value' | 'advantage'> {
  actor: Pick<SurrogateOptions['actor'], 'scoreTerminator' | 'minibatchSize' | 'maxBatchTokens'>;
  sampling: { maxNewTokens: number };
}

/** Computes V at the contexts of the agent's turns, and at the contexts after truncated episodes. */
export async function episodeValues(
  { model, dialogues }: { model: LanguageModel; dialogues: Dialogues },
  trajectories: readonly Trajectory[],
  options: ReadingOptions,
): Promise<EpisodeValues[]> {
  const { scoreTerminator } = options.actor;
  const isPerTurn = options.advantage.level === 'turn';
  const examples = trajectories.flatMap(({ segments }) =>
    segments.map(({ ids, utterances }) => {
      const positions = utterances.flatMap((utterance) =>
        Array.from(
          { length: isPerTurn ? 1 : scoredIds(utterance, scoreTerminator).length },
          (_, i) => utterance.start - 1 + i,
        ),
      );
      // The example ends at the last position with a value; an utterance's last token may be beyond the end of the context.
      return valueExample(ids.slice(0, (positions.at(-1) ?? 0) + 1), positions);
    }),
  );
  const cut = trajectories.filter((trajectory) => bootstraps(trajectory, options));
  const room = model.contextLength - options.sampling.maxNewTokens + 1;
  const after = cut.map((trajectory) => {
    const ids = nextContext(trajectory, dialogues).slice(-room);
    return valueExample(ids, [ids.length - 1]);
  });
  const rows = await valuesInParts(model, [...examples, ...after], options.actor);
  let segment = 0;
  let next = examples.length;
  return trajectories.map((trajectory) => {
    const turns = trajectory.transitions.map(() => new Float32Array(0));
    for (const { utterances } of trajectory.segments) {
      const row = rows[segment++];
      for (const utterance of utterances) {
        const { length } = isPerTurn ? [0] : scoredIds(utterance, scoreTerminator);
        turns[utterance.turn] = row.slice(utterance.start - 1, utterance.start - 1 + length);
      }
    }
    return { turns, next: bootstraps(trajectory, options) ? rows[next++].at(-1)! : 0 };
  });
}

/** `tokenPenalties`: [turns] of [tokens], subtracted from the reward of each scored token; empty for none. */
export function episodeEstimate(
  trajectory: Trajectory,
  values: EpisodeValues,
  tokenPenalties: readonly Float32Array[],
  options: ValueOptions,
): EpisodeEstimate {
  const { gamma } = options;
  const { level, lambda } = options.advantage;
  const rewards = trajectory.transitions.map(({ reward }) => reward);
  const lengths = values.turns.map(({ length }) => length);
  const penaltyOf = (turn: number) => (tokenPenalties[turn] ?? []).reduce((sum, penalty) => sum + penalty, 0);
  const flat = Float32Array.from(values.turns.flatMap((own) => [...own]));
  const terminated = !bootstraps(trajectory, options);
  if (level === 'bilevel') {
    const turnRewards = Float32Array.from(rewards, (reward, turn) => reward - penaltyOf(turn));
    const episode = { lengths, rewards: turnRewards, values: flat, nextValue: values.next, terminated };
    return perTurn(bilevelGae(episode, { gamma, lambda, tokenGamma: 1 }), lengths);
  }
  const steps = rewards.flatMap((reward, turn) => {
    if (level === 'turn') return [reward - penaltyOf(turn)];
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

/** Returns whether the estimate bootstraps after an episode: it was truncated, and the option allows it. */
const bootstraps = ({ transitions }: Trajectory, { value }: Pick<ValueOptions, 'value'>): boolean =>
  value.bootstrapOnLimit && transitions.at(-1)!.truncated;

async function valuesInParts(
  model: LanguageModel,
  examples: readonly TokenExample[],
  { minibatchSize, maxBatchTokens }: ReadingOptions['actor'],
): Promise<Float32Array[]> {
  const rows: Float32Array[] = [];
  for (let start = 0; start < examples.length; start += minibatchSize) {
    const part = examples.slice(start, start + minibatchSize);
    for (const row of await model.values(part, { maxTokens: maxBatchTokens ?? undefined })) rows.push(row);
  }
  return rows;
}

/** Makes an example of which V is computed at some positions, and nothing else. */
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

/** Returns the tokens that the policy would have read after the episode's last turn. */
function nextContext({ transitions, segments }: Trajectory, dialogues: Dialogues): number[] {
  const { observation, nextObservation } = transitions.at(-1)!;
  const { ids, utterances } = segments.at(-1)!;
  const utterance = utterances.at(-1)!;
  const before = ids.slice(0, utterance.start);
  const dialogue = dialogues.open();
  dialogue.advance({ turn: 0, observation, ids: before }, []);
  dialogue.decide(utterance, before.length);
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

interface ValueUpdateOptions extends Pick<ValueOptions, 'value' | 'advantage'> {
  actor: Pick<SurrogateOptions['actor'], 'epochs' | 'scoreTerminator' | 'minibatchSize' | 'maxBatchTokens'>;
}

/** A turn with its values. Arrays are [1] for the utterance, or [tokens] of its scored tokens. */
export interface ValuedTurn extends AdvantageTurn {
  /** V at the time of the rollout. */
  values: Float32Array;
  /** The targets of V. */
  returns: Float32Array;
}

/** Makes the value loss as a term of the policy's loss; the head has its own optimizer. */
export function valueOnTrunk(policy: LanguageModel, options: ValueUpdateOptions): TrunkValue<ValuedTurn> {
  const { coefficient, lr, maxGradNorm } = options.value;
  return {
    examplesOf: (batch) => withValues(batch, options.advantage.level),
    termOf: ({ turns }) => ({ ...valueTargets(turns, options), coefficient }),
    step: async () => void (await policy.valueHead.optimizer.step({ lr, maxGradNorm })),
  };
}

/** Makes `actor.epochs` passes of a separate critic network over the turns, with `actor.minibatchSize` episodes per optimizer step. */
export async function updateCriticNetwork(
  { critic, hooks }: { critic: LanguageModel; hooks: Pick<RunHooks, 'progress'> },
  turns: readonly ValuedTurn[],
  rng: Rng,
  options: ValueUpdateOptions,
): Promise<Metrics> {
  const { lr, maxGradNorm } = options.value;
  const { maxBatchTokens, epochs, minibatchSize } = options.actor;
  const episodes = [...new Set(turns.map(({ trajectory }) => trajectory))].map((episode) =>
    turns.filter(({ trajectory }) => trajectory === episode),
  );
  const steps = epochs * Math.ceil(episodes.length / minibatchSize);
  const means = new RunningMeans();
  const norms: number[] = [];
  for (let epoch = 0; epoch < epochs; epoch++)
    for (const minibatch of minibatches(episodes, minibatchSize, rng)) {
      const batch = packTurns(minibatch.flat(), options.actor);
      const examples = withValues(batch, options.advantage.level).map((example) => ({
        ...example,
        weights: new Float32Array(example.ids.length),
      }));
      const found = await critic.accumulateLogprobGradients(
        examples,
        ({ values }) => {
          const { gradient, ...loss } = valueLoss(values, valueTargets(batch.turns, options));
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

/** V is computed before each turn, or before each of its tokens. */
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

function valueTargets(turns: readonly ValuedTurn[], { value: { clip } }: ValueUpdateOptions) {
  const joined = (of: 'values' | 'returns') => Float32Array.from(turns.flatMap((turn) => [...turn[of]]));
  return { oldValues: joined('values'), returns: joined('returns'), clip: clip ?? Infinity };
}
