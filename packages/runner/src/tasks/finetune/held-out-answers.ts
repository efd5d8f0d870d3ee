// Lets a fine-tuned model and the initial one reply to held-out items, and shows the replies next to the reference answers.
import { endOfText, generateTexts, LanguageModel } from '@bowyer/models';
import type { Device } from '@bowyer/graph';
import type { TaskContext } from '../../context/task-context.js';
import type { NodePart } from '../../agent/keys/agent-keys.js';
import type { Example, Examples, FinetuneOptions } from './examples.js';
import type { Answer, CallCounts } from '../../run/finetune-results.js';
import { callPlaces, countedCalls, learnedReplies } from './recorded-calls.js';

const ANSWERS = 3;
const LONGEST_ANSWER = 128;

export interface HeldOut {
  answers: Answer[];
  /** The counts of correct tool calls by the initial and by the trained model; absent where no tool calls were held out. */
  calls?: { start: CallCounts; best: CallCounts };
}

/** @param best the folder of the trained model */
export async function heldOut(
  best: string,
  examples: Pick<Examples, 'training' | 'validation' | 'ends' | 'calls'>,
  {
    task: { model: start },
    policy: { quantization },
  }: NodePart<'policy', 'quantization'> & { task: Pick<FinetuneOptions, 'model'> },
  device: Device,
  log: TaskContext['log'],
): Promise<HeldOut> {
  const places = callPlaces(examples);
  const within = async <T>(dir: string, use: (model: LanguageModel) => Promise<T>): Promise<T> => {
    const model = await LanguageModel.load({ device, dir, quantization, masksPadding: false });
    return use(model).finally(() => model.release());
  };
  const calls = (model: LanguageModel) => countedCalls(model, places, examples);
  if (places.length === 0) return { answers: await within(best, (model) => answersOf(model, examples)) };
  log(`writing ${places.length} replies with calls that were held out, with the start and the trained model`);
  const ofStart = await within(start, calls);
  return within(best, async (model) => ({
    answers: await answersOf(model, examples),
    calls: { start: ofStart, best: await calls(model) },
  }));
}

/** Generates the last reply of a few items greedily. If no items were held out, training items are used. */
async function answersOf(
  model: LanguageModel,
  { training, validation, ends }: Pick<Examples, 'training' | 'validation' | 'ends'>,
): Promise<Answer[]> {
  const items = chosen(validation.length > 0 ? validation : training);
  const parts = items.flatMap(({ tokens }) => learnedReplies(tokens).at(-1) ?? []);
  const decode = (ids: readonly number[]) => model.tokenizer.decode(ids, { keepSpecialTokens: true });
  const answers: Answer[] = [];
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, batchSize: ANSWERS, seed: 0 };
  const terminatorIds = [...new Set([...ends, ...endOfText(model)])];
  const prompts = parts.map(({ promptIds }) => ({ promptIds }));
  const options = { ...sampling, terminatorIds, maxNewTokens: LONGEST_ANSWER };
  for await (const { ids } of generateTexts(model, prompts, options)) {
    const { promptIds, replyIds } = parts[answers.length];
    answers.push({ prompt: decode(promptIds), reference: decode(replyIds), answer: decode(ids) });
  }
  return answers;
}

/**
 * Chooses items at equal distances in the list. Held-out items are sorted by length, so that the chosen ones have different
 * lengths.
 */
function chosen(examples: readonly Example[]): Example[] {
  const places = Array.from({ length: ANSWERS }, (_, i) => Math.floor((i * examples.length) / ANSWERS));
  return [...new Set(places)].map((place) => examples[place]);
}
