// Implements task=start_model: makes a small model from an agent's own dialogues. It makes a tokenizer from their words, a chat
// template that writes tools, and a decoder with random weights, which it then trains as task=finetune does.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chatTemplate, bytePairTokenizer } from '@bowyer/text';
import { maximum, Rng, writeNewFolder } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import type { RecordedDialogue } from '@bowyer/conversations';
import { keptTemplate } from '../../agent/chat/chat-setup.js';
import type { TaskContext } from '../../context/task-context.js';
import { finetune, type FinetuneConfig } from '../finetune/finetune.js';
import { readTrainingItems } from '../finetune/training-items.js';
import type { TaskConfig } from '../task.js';
import type { startModelOptions } from './unit.js';
import { piecesOf } from './dialogue-pieces.js';

type StartModelConfig = Omit<FinetuneConfig, 'task' | 'policy' | 'lora'> & TaskConfig<typeof startModelOptions, 'data'>;

const UNTRAINED = 'untrained';

/** The number of optimizer steps of a training whose config does not give the number of epochs. */
const STEPS = 300;
const FEWEST_EPOCHS = 3;

export async function startModel(config: StartModelConfig, context: TaskContext): Promise<void> {
  const { data, dataFormat: format, dataSplit: split, validationShare, batchSize } = config.task;
  const { items } = await readTrainingItems(data, { format, split });
  const stepsOfEpoch = Math.ceil((items.length * (1 - validationShare)) / batchSize);
  const epochs = config.task.epochs ?? Math.max(FEWEST_EPOCHS, Math.round(STEPS / stepsOfEpoch));
  const model = join(context.directory, UNTRAINED);
  const dialogues = items.flatMap(({ value }) => (value.kind === 'conversation' ? [value] : []));
  // The template is saved with the untrained model, so that the training that follows needs no option for it.
  const whole = {
    task: { ...config.task, model, epochs },
    chat: { ...config.chat, template: null },
    lora: { enabled: false } as FinetuneConfig['lora'],
    policy: { quantization: 'none' },
  } as const;
  await finetune({ ...config, ...whole }, context, () =>
    existsSync(model) ? Promise.resolve() : writeUntrained(model, dialogues, config, context),
  );
}

async function writeUntrained(
  folder: string,
  dialogues: readonly RecordedDialogue[],
  config: StartModelConfig,
  { log }: Pick<TaskContext, 'log'>,
): Promise<void> {
  const { vocabularySize, width, layers } = config.task;
  const template = (await keptTemplate(config.chat.template ?? 'tools', {}))!;
  const { texts, shared, endToken } = piecesOf(dialogues, template);
  const vocabulary = { size: vocabularySize, endToken, wholeTokens: shared, chatTemplate: template };
  const longest = longestOf(dialogues, bytePairTokenizer(texts, vocabulary), template);
  const contextLength = config.task.contextLength ?? contextFor(longest);
  const tokenizer = bytePairTokenizer(texts, { ...vocabulary, contextLength });
  log(
    `a tokenizer of ${tokenizer.vocabSize} tokens, ${shared.length} of which are lines that the dialogues share; ` +
      `the longest dialogue has ${longest} tokens, the context ${contextLength}`,
  );
  await using device = await openDevice({ device: 'cpu', threads: 1 });
  const model = await LanguageModel.create({
    device,
    tokenizer,
    rng: Rng.forPurpose(config.seed, 'start_model'),
    config: {
      ...decoderOf(width, layers),
      max_position_embeddings: contextLength,
      vocab_size: tokenizer.vocabSize,
      bos_token_id: null,
      eos_token_id: tokenizer.eosTokenId,
      pad_token_id: tokenizer.padTokenId,
    },
  });
  await writeNewFolder(folder, (made) => model.saveMerged(made));
  await model.release();
}

/** The narrower the model, the larger its initial weights: experiments/agents has the comparison. */
const decoderOf = (width: number, layers: number) => ({
  model_type: 'llama',
  hidden_size: width,
  intermediate_size: 2 * width,
  num_hidden_layers: layers,
  num_attention_heads: width < 256 ? 4 : width / 64,
  rope_theta: 100,
  initializer_range: width < 256 ? 0.1 : 0.02,
  tie_word_embeddings: true,
});

function longestOf(
  dialogues: readonly RecordedDialogue[],
  tokenizer: ReturnType<typeof bytePairTokenizer>,
  source: string,
): number {
  const template = chatTemplate(source, tokenizer);
  return maximum(
    dialogues.flatMap(({ messages, inputs }) =>
      template.encodeConversation(messages, inputs).map(({ ids }) => ids.length),
    ),
  );
}

/** Twice the longest dialogue, in multiples of 256, since an agent in training writes longer dialogues. */
const contextFor = (longest: number): number => 256 * Math.max(2, Math.ceil((2 * longest) / 256));
