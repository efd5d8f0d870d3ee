// Converts the record of an episode into the turns that the report shows.
import { maximum, type TrajectoryRecord } from '@bowyer/core';
import type { Dialogue, EpisodeSource, EpisodeSummary, ShownTurn } from '@bowyer/views';

/** An episode as a run stores it; an episode of a test also has the policy's name and the decoding. */
export type StoredEpisode = TrajectoryRecord & { policy?: string; decoding?: string; evaluation_seed?: number };

/** The suffix of a policy's name that shows that it decoded greedily; without it, it sampled. */
export const GREEDY = ', greedy';

/** The largest number of characters of an observation that the report shows. */
const MAX_TEXT = 4000;

export function summaryOf(record: StoredEpisode, source: EpisodeSource, gamma: number): EpisodeSummary {
  const { episode, iteration, item, turns, policy, decoding, evaluation_seed: seed } = record;
  const errors = tdErrors(record, gamma).filter((error) => error !== null);
  const last = turns.at(-1)?.info ?? {};
  const who = policy === undefined ? undefined : decoding === 'greedy' ? `${policy}${GREEDY}` : policy;
  return {
    id: [
      source,
      ...(source === 'rollout' ? [] : [iteration, who, seed].filter((part) => part !== undefined && part !== 0)),
      episode,
    ].join('/'),
    source,
    iteration,
    episode,
    seed: record.seed,
    item: item ?? null,
    ...(who !== undefined && { policy: who }),
    return: Number(record.episodic_return.toPrecision(6)),
    turnCount: turns.length,
    won: 'won' in last ? last.won === true : null,
    surprise: errors.length === 0 ? null : Number(maximum(errors.map(Math.abs)).toPrecision(4)),
  };
}

/**
 * Computes the TD error of each turn: r + γ V(s′) − Q(s, a), or with V(s) if the critic has no Q; null without a critic's values.
 * V after the end of the episode is 0.
 */
function tdErrors({ turns }: TrajectoryRecord, gamma: number): (number | null)[] {
  return turns.map(({ q, v, reward, truncated }, i) => {
    const expected = q ?? v;
    const next = i + 1 < turns.length ? turns[i + 1].v : truncated ? undefined : 0;
    return expected === undefined || next === undefined ? null : reward + gamma * next - expected;
  });
}

export function dialogueOf(
  record: StoredEpisode,
  source: EpisodeSource,
  gamma: number,
  reasons: readonly string[],
): Dialogue {
  const { turns, segments, opening } = record;
  const errors = tdErrors(record, gamma);
  const replies = newTexts(record);
  const utterances = new Map(segments.flatMap((segment) => segment.utterances.map((own) => [own.turn, own] as const)));
  const shown = turns.map((turn, i): ShownTurn => {
    const utterance = utterances.get(i);
    const before = i === 0 ? undefined : turns[i - 1];
    // The valid actions in the `info` of a step are those of the next turn, so that this turn's are in the step before.
    const valid = before?.info.validActions;
    return {
      observation: cutText(before === undefined ? opening : (turn.state ?? replies[i - 1])),
      action: turn.action,
      reward: turn.reward,
      ...(turn.q !== undefined && { q: turn.q }),
      ...(turn.v !== undefined && { v: turn.v }),
      ...(turn.advantage !== undefined && { advantage: turn.advantage }),
      ...(errors[i] !== null && { tdError: Number(errors[i].toPrecision(4)) }),
      ...(utterance && scoresOf(utterance)),
      ...(Array.isArray(valid) && { validActions: valid as string[] }),
      ...(turn.preferred && { preferred: turn.preferred }),
      ...(turn.retrieved && { retrieved: turn.retrieved }),
      ...(turn.info.invalid === true && { invalid: true }),
    };
  });
  return {
    ...summaryOf(record, source, gamma),
    reasons: [...reasons],
    turns: shown,
    ending: cutText(replies.at(-1) ?? ''),
  };
}

/**
 * Returns the text that the environment added after each turn: if an observation begins with the whole previous observation, only
 * the lines after it.
 */
function newTexts({ opening, turns }: TrajectoryRecord): string[] {
  let observation = opening;
  return turns.map(({ action, reply, next_observation: next }) => {
    const said = observation + action;
    if (next === undefined) {
      observation = said + (reply ?? '');
      return reply ?? '';
    }
    let shared = 0;
    while (shared < said.length && said[shared] === next[shared]) shared++;
    const begins = shared >= observation.trimEnd().length && next.length > observation.length;
    observation = next;
    return begins ? next.slice(next.lastIndexOf('\n', shared - 1) + 1) : next;
  });
}

function scoresOf({
  logprobs,
  texts,
}: {
  logprobs: number[];
  texts?: string[];
}): Pick<ShownTurn, 'logprob' | 'surprisal' | 'tokens'> {
  if (logprobs.length === 0) return {};
  const short = (value: number) => Number(value.toPrecision(4));
  const sum = logprobs.reduce((total, logprob) => total + logprob, 0);
  return {
    logprob: short(sum),
    surprisal: short(-sum / logprobs.length),
    ...(texts && { tokens: texts.map((text, i) => ({ text, logprob: short(logprobs[i]) })) }),
  };
}

export const cutText = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)} … (${text.length - MAX_TEXT} more characters)`;
