// Converts a recorded rollout to an RL episode: branches of its tree of calls are token segments, answers are turns.
import { spokenIds, type SegmentUtterance, type TokenSegment, type Trajectory, type Transition } from '@bowyer/core';
import type { RecordedMasks } from '@bowyer/serving';
import type { RecordedCall, RecordedChoice, RecordedRollout } from '../record/recorded.js';
import { requireTokens } from '../record/require-tokens.js';
import type { CallNode, RolloutTree } from '../tree/tree.js';
import { finalRewards, missingReward, rewardsOfCalls } from './final-rewards.js';

export interface TrajectoryOptions {
  /** The number of the episode among those of the same purpose (training or an evaluation), from 0. */
  episode: number;
  seed: number;
  /** The number of the group to which the rollout belongs. The rollouts of a group have the same task and are compared. */
  group?: number;
  /** The task as text, for judges and reports. */
  task?: string;
  /** Returns the text of token ids, including special tokens. */
  decode: (ids: readonly number[]) => string;
  /** Computes the token masks of answers that were sampled under a grammar. */
  masks: Pick<RecordedMasks, 'masksOf'>;
}

/**
 * Converts a rollout to an episode. Its turns are the answers in the order in which their calls began. The last turn has the
 * rollout's reward, and the first answer of a rewarded call has that call's reward. An answer in a prefix that several branches
 * share is an utterance in the first of them, and context in the others. All text of the agent, its tools and the template is
 * context. Auxiliary calls, and calls whose answer did not reach the agent, are omitted.
 *
 * @throws if there is no reward, or no answer to learn from
 */
export function trajectoryOf(rollout: RecordedRollout, tree: RolloutTree, options: TrajectoryOptions): Trajectory {
  requireTokens(rollout);
  checkAnswers(rollout, tree);
  const turns = learnedNodes(tree);
  return {
    ...placeOf(rollout, options),
    transitions: transitionsOf(rollout, turns, options),
    infos: infosOf(rollout, turns),
    segments: segmentsOf(tree, turns, options),
  };
}

/** Converts a rollout whose answers have no tokens, for the metrics of an evaluation; the episode cannot be used for training. */
export function untokenizedTrajectory(
  rollout: RecordedRollout,
  options: Omit<TrajectoryOptions, 'decode' | 'masks'>,
): Trajectory {
  const turns = rollout.calls
    .filter(({ delivered, auxiliary }) => delivered && !auxiliary)
    .flatMap((call) => call.choices.slice(0, 1).map((choice) => ({ call, choice })));
  if (turns.length === 0) throw noAnswer(rollout);
  const transitions = transitionsOf(rollout, turns, { decode: () => '' });
  return {
    ...placeOf(rollout, options),
    transitions: transitions.map((transition, i) => ({ ...transition, action: turns[i].choice.message.content })),
    infos: infosOf(rollout, turns),
    segments: [],
  };
}

/** Checks that the rollout has an answer to learn from. @throws if it has none */
export function checkAnswers(rollout: Pick<RecordedRollout, 'id' | 'calls'>, tree: RolloutTree): void {
  if (learnedNodes(tree).length === 0) throw noAnswer(rollout);
}

const noAnswer = ({ id, calls }: Pick<RecordedRollout, 'id' | 'calls'>): Error =>
  new Error(
    calls.length === 0
      ? `rollout ${id}: the agent has had no answer of the model\n` +
          '  its client must use the address and the key that it is given: OPENAI_BASE_URL and OPENAI_API_KEY, or ANTHROPIC_BASE_URL and ' +
          'ANTHROPIC_API_KEY; in a function context.baseURL and context.apiKey, or fetch: rolloutFetch'
      : `rollout ${id}: no answer of the model reached the agent, so that there is nothing to learn from`,
  );

/** Converts a rollout that counts as failed. If the agent never called the model, the reward is on a turn without tokens. */
export function failedTrajectory(rollout: RecordedRollout, tree: RolloutTree, options: TrajectoryOptions): Trajectory {
  if (learnedNodes(tree).length > 0) return trajectoryOf(rollout, tree, options);
  const { reward = 0 } = finalRewards(rollout);
  const nothing = { observation: '', action: '', nextObservation: '', terminated: true, truncated: false };
  const infos = [{ rollout: rollout.id }];
  return { ...placeOf(rollout, options), transitions: [{ ...nothing, reward }], infos, segments: [] };
}

const placeOf = (
  { task: item }: RecordedRollout,
  { episode, seed, group, task }: Omit<TrajectoryOptions, 'decode' | 'masks'>,
) => ({
  episode,
  seed,
  ...(item !== undefined && { item }),
  ...(task !== undefined && { task }),
  ...(group !== undefined && { group }),
});

/** Returns the answers to learn from, in the order in which their calls began. */
function learnedNodes({ nodes }: RolloutTree): CallNode[] {
  return nodes
    .filter(({ call, choice }) => call.delivered && !call.auxiliary && choice.ids.length > 0)
    .sort((one, other) => one.call.call - other.call.call || one.choice.index - other.choice.index);
}

function transitionsOf(
  rollout: RecordedRollout,
  turns: readonly Pick<CallNode, 'call' | 'choice'>[],
  { decode }: Pick<TrajectoryOptions, 'decode'>,
): Transition[] {
  const observations = turns.map(({ call }) => decode(call.promptIds));
  const ofCalls = rewardsOfCalls(rollout);
  const { reward } = finalRewards(rollout);
  if (reward === undefined && ofCalls.size === 0) throw missingReward(rollout);
  const transitions = turns.map(({ call, choice }, turn): Transition => {
    const action = decode(spokenIds(choice));
    const isFirst = turns[turn - 1]?.call !== call;
    return {
      observation: observations[turn],
      action,
      reward: isFirst ? (ofCalls.get(call.call) ?? 0) : 0,
      nextObservation: observations[turn + 1] ?? observations[turn] + action,
      terminated: turn === turns.length - 1,
      truncated: false,
    };
  });
  transitions.at(-1)!.reward += reward ?? 0;
  return transitions;
}

/** Returns the `info` of each turn; the last one has the reward components and metrics of the whole rollout. */
function infosOf(
  rollout: RecordedRollout,
  turns: readonly Pick<CallNode, 'call' | 'choice'>[],
): Record<string, unknown>[] {
  const { reward: _, ...components } = finalRewards(rollout);
  const { won = rollout.metrics.success, ...metrics } = rollout.metrics;
  const last = {
    ...(won !== undefined && { won: won > 0 }),
    ...(Object.keys(metrics).length > 0 && { metrics }),
    ...(Object.keys(components).length > 0 && { rewards: components }),
  };
  return turns.map(({ call, choice: { message } }, turn) => ({
    call: call.call,
    rollout: rollout.id,
    // Only calls that offered tools to the model have these entries.
    ...(call.tools.length > 0 && {
      tool: message.calls.length > 0,
      failed_call: message.attempts?.some(({ status }) => status !== 'ok') ?? false,
    }),
    ...(turn === turns.length - 1 && last),
  }));
}

function segmentsOf(
  { branches }: RolloutTree,
  turns: readonly CallNode[],
  options: Pick<TrajectoryOptions, 'masks'>,
): TokenSegment[] {
  const turnOf = new Map(turns.map((node, turn) => [node, turn]));
  return branches.flatMap((branch) => {
    const own = branch.filter((node) => turnOf.has(node));
    if (own.length === 0) return [];
    const utterances = own.map((node) => utteranceOf(node, turnOf.get(node)!, options));
    for (const node of own) turnOf.delete(node);
    const { call, choice } = branch.at(-1)!;
    return [{ ids: [...call.promptIds, ...choice.ids], utterances }];
  });
}

function utteranceOf(
  { call, choice }: CallNode,
  turn: number,
  { masks }: Pick<TrajectoryOptions, 'masks'>,
): SegmentUtterance {
  return {
    turn,
    start: call.promptIds.length,
    ids: choice.ids,
    terminated: choice.terminated,
    logprobs: choice.logprobs,
    ...maskedTokens(call, choice, masks),
  };
}

/** Returns an answer's tokens, with the masks of its grammar, if any, so that training computes the sampling's probabilities. */
function maskedTokens(
  { sampling }: RecordedCall,
  { ids, terminated, constraint, maskedLogprobs }: RecordedChoice,
  masks: TrajectoryOptions['masks'],
): Partial<SegmentUtterance> {
  if (constraint === undefined || maskedLogprobs === undefined) return {};
  const { maxTokens, stopIds } = sampling as { maxTokens: number; stopIds: number[] };
  return { logprobs: maskedLogprobs, tokenMasks: masks.masksOf({ constraint, ids, terminated, maxTokens, stopIds }) };
}
