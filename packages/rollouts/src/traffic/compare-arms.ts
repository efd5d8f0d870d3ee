// Compares users' feedback on a served model and its canary (an adapter that answers a share of requests): the two arms.
import { clusteredMean, mean, studentQuantile, type ClusteredMean, type Interval } from '@bowyer/core';
import type { RecordedRollout } from '../record/recorded.js';
import { finalRewards, REWARD } from '../trajectories/final-rewards.js';
import { conversationKey, openingKey, type Canary } from './canary.js';

/** Statistics of the answers of one arm, the model or its canary. */
export interface Arm {
  name: string;
  answers: number;
  /** The number of answers with users' feedback. */
  rated: number;
  corrected: number;
  /** The mean number of tokens per answer; absent if no answer has tokens. */
  tokens?: number;
  /** The mean time per answer in seconds. */
  seconds?: number;
  /** The mean feedback, with a confidence interval from the spread between conversations; absent without feedback. */
  feedback?: ClusteredMean;
}

export interface Difference extends Interval {
  mean: number;
}

export interface ArmComparison {
  arms: [model: Arm, canary: Arm];
  /** The canary's mean feedback minus the model's; absent if one of them has feedback on fewer than two conversations. */
  difference?: Difference;
  /** The difference over conversations whose first messages both arms answered; absent with fewer than two such openings. */
  paired?: Difference & { openings: number };
}

class ArmCounts {
  answers = 0;
  rated = 0;
  corrected = 0;
  readonly #conversations = new Map<string, number[]>();
  readonly openings = new Map<string, number[]>();
  readonly #tokens: number[] = [];
  #seconds = 0;

  constructor(private readonly name: string) {}

  add(rollout: RecordedRollout): void {
    const [{ hints, messages, promptIds, choices, startedAt, endedAt }] = rollout.calls;
    this.answers++;
    this.#seconds += (endedAt - startedAt) / 1000;
    const tokens = choices.reduce((sum, { ids }) => sum + ids.length, 0);
    if (tokens > 0) this.#tokens.push(tokens);
    if (rollout.correction) this.corrected++;
    const { [REWARD]: feedback } = finalRewards(rollout);
    if (feedback === undefined) return;
    this.rated++;
    const shown = { session: hints.session, messages, promptIds };
    push(this.#conversations, conversationKey(shown), feedback);
    push(this.openings, openingKey(shown), feedback);
  }

  get arm(): Arm {
    const { name, answers, rated, corrected } = this;
    const conversations = [...this.#conversations.values()];
    return {
      name,
      answers,
      rated,
      corrected,
      ...(this.#tokens.length > 0 && { tokens: mean(this.#tokens) }),
      ...(answers > 0 && { seconds: this.#seconds / answers }),
      ...(conversations.length > 0 && { feedback: clusteredMean(conversations) }),
    };
  }
}

/** Compares the answers that both arms have given since the canary began. */
export async function compareArms(
  rollouts: AsyncIterable<RecordedRollout>,
  { model, canary, since }: Canary,
): Promise<ArmComparison> {
  const counts = [new ArmCounts(model), new ArmCounts(canary)] as const;
  for await (const rollout of rollouts) {
    const [call] = rollout.calls;
    if (call === undefined || !call.delivered || call.startedAt < since) continue;
    counts.find((_, i) => call.sampling.model === [model, canary][i])?.add(rollout);
  }
  const [first, second] = counts.map(({ arm }) => arm);
  const pairs = [...counts[0].openings].flatMap(([key, values]) => {
    const others = counts[1].openings.get(key);
    return others === undefined ? [] : [[mean(others) - mean(values)]];
  });
  return {
    arms: [first, second],
    ...differenceOf(first.feedback, second.feedback),
    ...(pairs.length > 1 && { paired: { ...clusteredMean(pairs), openings: pairs.length } }),
  };
}

/** Returns the difference of two independent means, with the smaller degrees of freedom: the interval is never too narrow. */
function differenceOf(first?: ClusteredMean, second?: ClusteredMean): Pick<ArmComparison, 'difference'> {
  if (first === undefined || second === undefined || Math.min(first.clusters, second.clusters) < 2) return {};
  const gain = second.mean - first.mean;
  const freedom = Math.min(first.clusters, second.clusters) - 1;
  const half = studentQuantile(0.975, freedom) * Math.hypot(first.standardError, second.standardError);
  return { difference: { mean: gain, low: gain - half, high: gain + half } };
}

const push = (map: Map<string, number[]>, key: string, value: number): void =>
  void map.set(key, [...(map.get(key) ?? []), value]);
