// Writes recorded rollouts as a file of conversations, which task=finetune can read.
import { JsonlFile } from '@bowyer/core';
import { jsonAsWritten } from '@bowyer/text';
import type { RecordedRollout } from '../record/recorded.js';
import { conversationsOf } from './conversations-of.js';
import { finalRewards, REWARD } from './final-rewards.js';

/** The numbers of rollouts and conversations that were read and written. */
export interface WrittenConversations {
  rollouts: number;
  /** The number of rollouts from which conversations were written. */
  kept: number;
  conversations: number;
  /** The reasons why calls are in no conversation, such as an image in a request; at most one for each rollout. */
  unread: string[];
}

/**
 * Writes the conversations, each with its rollout's reward, to a file, which is replaced. Failed rollouts are omitted.
 *
 * @param minReward rollouts with a smaller reward, or without one, are omitted; null keeps all
 */
export async function writeConversations(
  path: string,
  rollouts: Iterable<RecordedRollout> | AsyncIterable<RecordedRollout>,
  minReward: number | null,
): Promise<WrittenConversations> {
  const file = await JsonlFile.open(path, 0);
  const written: WrittenConversations = { rollouts: 0, kept: 0, conversations: 0, unread: [] };
  for await (const rollout of rollouts) {
    written.rollouts++;
    if (rollout.status === 'failed') continue;
    const { [REWARD]: reward } = finalRewards(rollout);
    if (minReward !== null && (reward ?? -Infinity) < minReward) continue;
    const conversations = conversationsOf(rollout).map((each) => (reward === undefined ? each : { ...each, reward }));
    await file.appendLines(conversations.map((conversation) => `${jsonAsWritten(conversation)}\n`).join(''));
    written.kept++;
    written.conversations += conversations.length;
    for (const { unread, delivered, auxiliary } of rollout.calls)
      if (unread !== undefined && delivered && !auxiliary) written.unread.push(unread);
  }
  return written;
}
