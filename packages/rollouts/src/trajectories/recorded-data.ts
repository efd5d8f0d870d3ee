// Converts a folder of recorded rollouts to a file of training data: conversations to imitate, preferences, or tasks.
import { JsonlFile } from '@bowyer/core';
import { jsonAsWritten, type ChatMessage } from '@bowyer/text';
import type { RecordedRollout } from '../record/recorded.js';
import { readRollouts } from '../record/rollout-log.js';
import { nextKey } from '../tree/dialogue-keys.js';
import { answerOf, conversationsOf } from './conversations-of.js';
import { finalRewards, REWARD } from './final-rewards.js';

/**
 * The use of recorded rollouts in training.
 * - `imitate`: all conversations except those with feedback of 0 or less; a corrected answer is replaced by its correction.
 * - `prefer`: pairs of a correction and the answer that it replaces, unless both are equal, and the other conversations that have
 * feedback, with the feedback as their score.
 * - `ask`: all conversations, whose first messages are tasks for the model.
 */
export type RecordedUse = 'imitate' | 'prefer' | 'ask';

/** Writes training data from recorded rollouts to a file, even during recording. @returns the number of items */
export async function writeRecordedData(path: string, folder: string, use: RecordedUse): Promise<number> {
  const file = await JsonlFile.open(path, 0);
  let count = 0;
  for await (const rollout of readRollouts(folder)) {
    const items = itemsOf(rollout, use);
    await file.appendLines(items.map((item) => `${jsonAsWritten(item)}\n`).join(''));
    count += items.length;
  }
  return count;
}

function itemsOf(rollout: RecordedRollout, use: RecordedUse): object[] {
  if (rollout.status === 'failed') return [];
  if (use === 'ask') return conversationsOf(rollout);
  if (rollout.correction) return correctedItems(rollout, rollout.correction, use);
  const { [REWARD]: reward } = finalRewards(rollout);
  if (use === 'prefer') return reward === undefined ? [] : conversationsOf(rollout).map((one) => ({ ...one, reward }));
  return reward !== undefined && reward <= 0 ? [] : conversationsOf(rollout);
}

function correctedItems(
  { calls: [{ messages, tools, choices }] }: RecordedRollout,
  { choice, message }: NonNullable<RecordedRollout['correction']>,
  use: RecordedUse,
): object[] {
  const beside = tools.length > 0 ? { tools } : {};
  if (use === 'prefer') {
    const rejected = answerOf(choices[choice]);
    const [said, meant] = [rejected, message as ChatMessage].map((answer) => nextKey('', [answer], 0));
    return said === meant ? [] : [{ prompt: messages, chosen: [message], rejected: [rejected], ...beside }];
  }
  const history = (messages as { role: string }[]).map((each) =>
    each.role === 'assistant' ? { ...each, weight: 0 } : each,
  );
  return [{ messages: [...history, message], ...beside }];
}
