// Encodes the items of a fine-tuning with the model's tokenizer, and divides them into training items and held-out items.
import { architectureFor, continuationTokens, ItemError, openAdapterDirectory } from '@bowyer/models';
import {
  ChatTemplateError,
  ChatTemplateLimitError,
  loadTokenizer,
  type ChatTemplate,
  type EncodedConversation,
  type Tokenizer,
} from '@bowyer/text';
import { readDecoderConfig, type PretrainedConfig } from '@bowyer/checkpoints';
import { maximum, Rng } from '@bowyer/core';
import { join } from 'node:path';
import { BadItem, mapItems, type DataFile } from '@bowyer/conversations';
import type { CallReader } from '@bowyer/serving';
import { keptTemplate, loadChatTemplate, type TemplateConfig } from '../../agent/chat/chat-setup.js';
import { asServed } from '../../agent/chat/served-dialogues.js';
import { fitted, tokenCounts } from '../../agent/demonstrations/imitation-data.js';
import { checkWrittenWhole } from '../../agent/demonstrations/written-whole.js';
import type { TaskContext } from '../../context/task-context.js';
import type { TaskConfig } from '../task.js';
import type { finetuneOptions } from './unit.js';
import { readTrainingItems, type TrainingItem } from './training-items.js';

export interface Example {
  item: TrainingItem;
  tokens: EncodedConversation;
}

export interface Examples {
  training: Example[];
  /** The held-out items, on which the model is validated; empty with `validation_share: 0`. */
  validation: Example[];
  /** The number of tokens of the longest item. */
  longest: number;
  /** The token ids with which a learned text ends. */
  ends: readonly number[];
  /** Null if the data has no tools, or if the template writes calls in an unknown form. */
  calls: CallReader | null;
  /** The chat template to save with the model; null to keep the model's own, and for data without dialogues. */
  chatTemplate: string | null;
}

/** The options of task=finetune whose `model` and `data` are not null. */
export type FinetuneOptions = TaskConfig<typeof finetuneOptions, 'model' | 'data'>['task'];

export type ExamplesConfig = TemplateConfig & { task: FinetuneOptions; seed: number };

/**
 * Reads the data and encodes its items with the model's tokenizer; weights are not loaded. Conversations that are longer than the
 * model's context are cut, which is logged.
 */
export async function loadExamples(config: ExamplesConfig, log: TaskContext['log']): Promise<Examples> {
  const { model, data, dataFormat, dataSplit } = config.task;
  const { notes, ...file } = await readTrainingItems(data, { format: dataFormat, split: dataSplit });
  for (const note of notes) log(`data: ${note}`);
  const { baseDir } = await openAdapterDirectory(model);
  const tokenizer = await loadTokenizer(baseDir, { templatesOf: model });
  const json = await readDecoderConfig(baseDir);
  const { contextLength } = architectureFor(json, join(baseDir, 'config.json'));
  const encoder = await encoderFor(file, tokenizer, json, config, log);
  const encoded = mapItems({ ...encoder.file, expected: encoder.expected }, encoder.encode).items.map(
    ({ value }) => value,
  );
  const fit = fitted(encoded.flat(), contextLength, 'items', log);
  let next = 0;
  const examples = encoded
    .map((ofItem, i) =>
      ofItem.flatMap(() => {
        const tokens = fit[next++];
        return tokens === null ? [] : [{ item: file.items[i].value, tokens }];
      }),
    )
    .filter(({ length }) => length > 0);
  if (examples.length === 0)
    throw new Error(
      `${data}: none of the items has a token to learn from\n  a conversation needs a message of the assistant`,
    );
  const isDialogue = file.items[0].value.kind === 'conversation';
  const chatTemplate = isDialogue ? await keptTemplate(config.chat.template, tokenizer) : null;
  const { ends, calls } = encoder;
  return { ...described(split(examples, config), contextLength, config, log), ends, calls, chatTemplate };
}

function encoderFor(
  file: DataFile<TrainingItem>,
  tokenizer: Tokenizer,
  json: PretrainedConfig,
  config: TemplateConfig,
  log: TaskContext['log'],
): ItemEncoder | Promise<ItemEncoder> {
  const [{ value: first }] = file.items;
  return first.kind === 'conversation'
    ? conversationEncoder(file, tokenizer, config)
    : completionEncoder(file, tokenizer, json, log);
}

interface ItemEncoder {
  /** The items of the file, in the form in which they are encoded. */
  file: DataFile<TrainingItem>;
  /** Several examples if the chat template writes a message differently once later messages follow. */
  encode: (item: TrainingItem) => EncodedConversation[];
  ends: readonly number[];
  calls: CallReader | null;
  expected: string;
}

async function conversationEncoder(
  file: DataFile<TrainingItem>,
  tokenizer: Tokenizer,
  config: TemplateConfig,
): Promise<ItemEncoder> {
  const template = await loadChatTemplate(config, tokenizer);
  const { items } = file as DataFile<TrainingItem & { kind: 'conversation' }>;
  const dialogues = await asServed(
    items.map(({ value }) => value),
    template,
    tokenizer,
  );
  const served = { ...file, items: items.map(({ place }, i) => ({ place, value: dialogues[i] })) };
  checkWrittenWhole(template, served);
  return {
    file: served,
    ends: template.terminatorIds,
    calls: items.some(({ value }) => value.inputs?.tools) ? await callReaderOf(template, tokenizer) : null,
    expected: 'conversations that the chat template accepts; chat.template=NAME chooses another one',
    encode: (item) => {
      try {
        const { messages, inputs } = item as TrainingItem & { kind: 'conversation' };
        return template.encodeConversation(messages, inputs);
      } catch (error) {
        if (!(error instanceof ChatTemplateError) || error instanceof ChatTemplateLimitError) throw error;
        throw new BadItem(error.message.replaceAll(/\n\s*/g, '; '));
      }
    },
  };
}

async function callReaderOf(template: ChatTemplate, tokenizer: Tokenizer): Promise<CallReader | null> {
  const { callReader } = await import('@bowyer/serving'); // imported here, since most data has no tool calls
  return callReader(template, tokenizer);
}

/** Returns the encoder of prompts with completions. The model learns the completion and the end-of-text token after it. */
function completionEncoder(
  file: DataFile<TrainingItem>,
  tokenizer: Tokenizer,
  json: PretrainedConfig,
  log: TaskContext['log'],
): ItemEncoder {
  const end = endOf(tokenizer, json);
  if (end.length === 0)
    log('the tokenizer has no end-of-text token: the model does not learn where a completion ends', 'WARNING');
  return {
    file,
    ends: end,
    calls: null,
    expected: 'prompts of at least one token',
    encode: (item) => {
      const { prompt, completion } = item as TrainingItem & { kind: 'completion' };
      try {
        const { promptIds, continuationIds } = continuationTokens(tokenizer, { prompt, continuation: completion }, 0);
        const learned = [...continuationIds, ...end];
        const lossMask = [...promptIds.map(() => 0), ...learned.map(() => 1)];
        return [{ ids: [...promptIds, ...learned], lossMask }];
      } catch (error) {
        throw error instanceof ItemError ? new BadItem(error.problem) : error;
      }
    },
  };
}

/** Returns the end-of-text token of the tokenizer; if it has none, the first one that the model's config names. */
function endOf({ eosTokenId }: Tokenizer, { eos_token_id: named }: PretrainedConfig): number[] {
  const ids = [eosTokenId, ...(Array.isArray(named) ? (named as unknown[]) : [named])];
  return ids.filter((id): id is number => Number.isInteger(id) && (id as number) >= 0).slice(0, 1);
}

/**
 * Draws held-out items with the seed; all examples of an item are held out together.
 *
 * @param examples the examples of each item
 */
function split(
  examples: readonly (readonly Example[])[],
  { seed, task: { validationShare, data } }: ExamplesConfig,
): Pick<Examples, 'training' | 'validation'> {
  const held = validationShare === 0 ? 0 : Math.max(1, Math.round(validationShare * examples.length));
  if (held >= examples.length)
    throw new Error(
      `${data}: of ${examples.length} items task.validation_share=${validationShare} holds out ${held}, and none remains to train on\n` +
        '  give more items, a smaller task.validation_share, or task.validation_share=0 for no validation',
    );
  const isHeld = new Set(
    Rng.forPurpose(seed, 'finetune/validation')
      .shuffle(examples.map((_, i) => i))
      .slice(0, held),
  );
  return {
    training: examples.filter((_, i) => !isHeld.has(i)).flat(),
    // The held-out examples are sorted by length, since batches of examples with similar lengths have less padding.
    validation: examples
      .filter((_, i) => isHeld.has(i))
      .flat()
      .sort((a, b) => a.tokens.ids.length - b.tokens.ids.length),
  };
}

function described(
  { training, validation }: Pick<Examples, 'training' | 'validation'>,
  contextLength: number,
  { task: { validationShare } }: ExamplesConfig,
  log: TaskContext['log'],
): Pick<Examples, 'training' | 'validation' | 'longest'> {
  const all = [...training, ...validation].map(({ tokens }) => tokens);
  const longest = maximum(all.map(({ ids }) => ids.length));
  const mean = all.reduce((sum, { ids }) => sum + ids.length, 0) / all.length;
  log(
    `data: ${training.length} items to train on, ${validation.length} for validation (task.validation_share=${validationShare}); ` +
      `${tokenCounts(all)}; an item has ${mean.toFixed(1)} on average, the longest ${longest} (context ${contextLength})`,
  );
  return { training, validation, longest };
}
