// Implements task=generate: a model writes texts that continue the prompts of a file or, with an encoder-decoder, answer them;
// decoding is greedy or sampled.
import {
  endOfText,
  generateTargets,
  generateTexts,
  ItemError,
  Seq2SeqModel,
  type LanguageModel,
  type PromptItem,
} from '@bowyer/models';
import { ChatTemplateError, type ChatTemplate, type Conversation } from '@bowyer/text';
import { terminatorIds } from '../../agent/chat/agent-tokens.js';
import { loadChatTemplate, withMessages } from '../../agent/chat/chat-setup.js';
import { asServed } from '../../agent/chat/served-dialogues.js';
import { textRules } from '../../agent/chat/text-rules.js';
import type { AgentConfig } from '../../agent/keys/agent-keys.js';
import { checkTerminator } from '../../agent/policy/check-text-rules.js';
import { deviceOf, type DeviceConfig } from '../../agent/policy/device-choice.js';
import { linesOf, runModelLines } from '../model-lines.js';
import type { TaskConfig } from '../task.js';
import type { generateOptions } from './unit.js';
import type { TaskContext } from '../../context/task-context.js';

type GenerateConfig = DeviceConfig &
  TaskConfig<typeof generateOptions, 'model' | 'input' | 'output'> &
  Pick<AgentConfig, 'seed' | 'sampling' | 'chat'>;

export async function generate(config: GenerateConfig, context: TaskContext): Promise<void> {
  const { batchSize, ignoreEos, model: folder } = config.task;
  const { seed, sampling } = config;
  const { temperature, topK, topP, doSample, maxNewTokens } = sampling;
  let cut = 0;
  if (!ignoreEos) await checkTerminator(folder, config);
  const results = async function* (model: LanguageModel | Seq2SeqModel, lines: ChatItem[]) {
    const { items, template } = await promptsOf(lines, model, config);
    const rules = await textRules(folder, model, sampling);
    const ends = ignoreEos ? [] : (template?.terminatorIds ?? []);
    let line = 0;
    const options = { temperature, topK, topP, greedy: !doSample, maxNewTokens, batchSize, seed };
    const texts =
      model instanceof Seq2SeqModel
        ? generateTargets(model, items, { ...options, rules, terminatorIds: [...targetEnds(model, config), ...ends] })
        : generateTexts(model, items, {
            ...options,
            rules,
            terminatorIds: [...new Set([...textEnds(model, config), ...ends])],
          });
    for await (const { text, ids, logprobs, finishReason } of texts) {
      if (finishReason === 'length' && ids.length < maxNewTokens) cut++;
      const isMessage = lines[line++].messages !== undefined;
      const written = finishReason === 'stop' ? ids.slice(0, -1) : ids;
      // A reply to a dialogue is decoded without the end of its prompt.
      const shown = isMessage ? model.tokenizer!.decode(written) : text;
      yield { text: shown, ids, logprobs, finish_reason: finishReason };
    }
  };
  const options = { ...config.task, device: deviceOf(config) };
  await runModelLines(options, context, { schema: withMessages(linesOf('prompt')), harmless: ANSWERS, results });
  if (cut > 0)
    context.print(`${cut} of the texts end before sampling.max_new_tokens, where the model's context does\n`);
}

/** Keys of an input line under which data sets have reference answers. They are allowed, but not read. */
const ANSWERS = [
  'continuation',
  'continuation_ids',
  'completion',
  'response',
  'answer',
  'answers',
  'solution',
  'label',
  'labels',
  'reference',
  'references',
  'expected',
  'target',
  'gold',
  'ground_truth',
  'chosen',
  'rejected',
];

type ChatItem = PromptItem & Partial<Conversation>;

/**
 * Encodes the dialogues among the items by the model's chat template, up to the position where the model continues; other items
 * are returned unchanged.
 */
async function promptsOf(
  lines: ChatItem[],
  { tokenizer }: LanguageModel | Seq2SeqModel,
  config: GenerateConfig,
): Promise<{ items: PromptItem[]; template: ChatTemplate | null }> {
  if (!lines.some(({ messages }) => messages)) return { items: lines, template: null };
  if (!tokenizer) throw new Error('generate: messages need a tokenizer, and this model has none');
  const template = await loadChatTemplate(config, tokenizer);
  const served = await asServed(
    lines.map(({ messages = [] }) => ({ messages })),
    template,
    tokenizer,
  );
  const items = lines.map(({ messages: given, inputs, ...item }, index) => {
    if (given === undefined) return item;
    const { messages } = served[index];
    try {
      return { promptIds: template.encodePrompt(messages, inputs) };
    } catch (error) {
      throw error instanceof ChatTemplateError ? new ItemError(index, error.message) : error;
    }
  });
  return { items, template };
}

const textEnds = (model: LanguageModel, config: GenerateConfig) =>
  config.task.ignoreEos ? [] : [...new Set([...terminatorIds(model.tokenizer, config), ...endOfText(model)])];

/**
 * Returns the token ids that end an encoder-decoder's output: those in the checkpoint's files, and the token of `eos_str` if the
 * model has a tokenizer.
 */
const targetEnds = ({ tokenizer, rules }: Seq2SeqModel, config: GenerateConfig) =>
  config.task.ignoreEos ? [] : [...new Set([...(tokenizer ? terminatorIds(tokenizer, config) : []), ...rules.eosIds])];
