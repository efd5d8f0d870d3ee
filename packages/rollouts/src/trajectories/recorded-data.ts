// Reads a folder of recorded rollouts as training data: for imitation, for preferences, or as tasks.
import { JsonlFile } from '@bowyer/core';
import { jsonAsWritten, type ChatMessage } from '@bowyer/text';
import type { RecordedRollout } from '../record/recorded.js';
import { readRollouts } from '../record/rollout-log.js';
import { nextKey } from '../tree/dialogue-keys.js';
import { answerOf, conversationsOf } from './conversations-of.js';
import { finalRewards, REWARD } from './final-rewards.js';

/**
 * - `imitate`: conversations without those whose feedback is 0 or less; a corrected answer is the correction.
 * - `prefer`: a correction and the answer that it replaces, unless both say the same, and the other conversations that have feedback,
 *   with it as their score.
 * - `ask`: all conversations, for the tasks that they begin with.
 */
export type RecordedUse = 'imitate' | 'prefer' | 'ask';

/** Writes the data of a record to a file, even while a server writes to the record. @returns the number of items */
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
