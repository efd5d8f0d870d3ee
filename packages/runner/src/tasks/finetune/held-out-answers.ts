// Replies of the trained model to a few items that it was not trained on, beside the references.
import { endOfText, generateTexts, LanguageModel } from '@bowyer/models';
import type { EncodedConversation } from '@bowyer/text';
import type { Device } from '@bowyer/graph';
import type { AgentConfig } from '@bowyer/agent';
import type { Example, Examples } from './examples.js';
import type { Answer } from '../../run/finetune-results.js';

const ANSWERS = 3;
const LONGEST_ANSWER = 128;

/** The most probable text in place of each item's last reply; where nothing was held out, for items that were trained on. */
export async function heldOutAnswers(
  dir: string,
  { training, validation, ends }: Pick<Examples, 'training' | 'validation' | 'ends'>,
  { quantization }: Pick<AgentConfig, 'quantization'>,
  device: Device,
): Promise<Answer[]> {
  const parts = chosen(validation.length > 0 ? validation : training).flatMap(({ tokens }) => lastReply(tokens) ?? []);
  if (parts.length === 0) return [];
  const model = await LanguageModel.load({ device, dir, quantization, masksPadding: false });
  try {
    const decode = (ids: readonly number[]) => model.tokenizer.decode(ids, { keepSpecialTokens: true });
    const answers: Answer[] = [];
    const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, batchSize: ANSWERS, seed: 0 };
    const terminatorIds = [...new Set([...ends, ...endOfText(model)])];
    const items = parts.map(({ promptIds }) => ({ promptIds }));
    for await (const { ids } of generateTexts(model, items, {
      ...sampling,
      terminatorIds,
      maxNewTokens: LONGEST_ANSWER,
    })) {
      const { promptIds, replyIds } = parts[answers.length];
      answers.push({ prompt: decode(promptIds), reference: decode(replyIds), answer: decode(ids) });
    }
    return answers;
  } finally {
    await model.release();
  }
}

/** Items of different lengths, in which the held-out ones are in order. */
function chosen(examples: readonly Example[]): Example[] {
  const places = Array.from({ length: ANSWERS }, (_, i) => Math.floor((i * examples.length) / ANSWERS));
  return [...new Set(places)].map((place) => examples[place]);
}

/** The last text that is learned, and the tokens before it; null where nothing is before it. */
function lastReply({ ids, lossMask }: EncodedConversation) {
  const end = lossMask.findLastIndex((weight) => weight > 0) + 1;
  const start = lossMask.slice(0, end).findLastIndex((weight) => weight === 0) + 1;
  return start === 0 || end === 0 ? null : { promptIds: ids.slice(0, start), replyIds: ids.slice(start, end) };
}
