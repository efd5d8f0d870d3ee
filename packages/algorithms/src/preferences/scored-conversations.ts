// Converts conversations of a file into episodes with a return, so that better answers to a task can be preferred to worse ones.
// DPO compares the policy with the initial one, so the probabilities under which the conversations were sampled are not needed.
import type { SegmentUtterance, Trajectory } from '@bowyer/core';
import type { EncodedConversation } from '@bowyer/text';
import type { ConversationOutcome } from '../run/training-run.js';

/** Several encodings of one conversation become one episode. */
export function scoredConversations(
  conversations: readonly EncodedConversation[],
  outcomes: readonly (ConversationOutcome | null)[],
): Trajectory[] {
  const episodes = new Map<number, Trajectory>();
  conversations.forEach((conversation, i) => {
    const outcome = outcomes[i];
    if (outcome === null) return;
    const { conversation: episode, task } = outcome;
    const known = episodes.get(episode) ?? { episode, seed: 0, item: task, transitions: [], infos: [], segments: [] };
    episodes.set(episode, known);
    known.segments.push({ ids: conversation.ids, utterances: utterancesOf(conversation, known.transitions.length) });
    addTurns(known, outcome.score);
  });
  return [...episodes.values()];
}

/** Lists the learned spans of a conversation's tokens as utterances. @param first turn number of the first span */
function utterancesOf({ ids, lossMask }: EncodedConversation, first: number): SegmentUtterance[] {
  const utterances: SegmentUtterance[] = [];
  for (let start = lossMask.findIndex((weight) => weight > 0); start >= 0;) {
    const length = lossMask.slice(start).findIndex((weight) => weight === 0);
    const end = length < 0 ? ids.length : start + length;
    // The first token of a text is never predicted, since no token precedes it.
    const from = Math.max(start, 1);
    const turn = first + utterances.length;
    utterances.push({ turn, start: from, ids: ids.slice(from, end), terminated: false, logprobs: [] });
    const next = lossMask.slice(end).findIndex((weight) => weight > 0);
    start = next < 0 ? -1 : end + next;
  }
  return utterances;
}

/** Adds a turn for each utterance; the last one has the whole score as its reward. */
function addTurns(episode: Trajectory, score: number): void {
  const { transitions, infos, segments } = episode;
  for (const last of transitions) Object.assign(last, { reward: 0, terminated: false });
  for (const { turn } of segments.at(-1)!.utterances) {
    transitions[turn] = {
      observation: '',
      action: '',
      reward: 0,
      nextObservation: '',
      terminated: false,
      truncated: false,
    };
    infos.push({});
  }
  const end = transitions.at(-1);
  if (end) Object.assign(end, { reward: score, terminated: true });
}
