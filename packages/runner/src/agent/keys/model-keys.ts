// Defines the options that every task with a language model may have: its device, how it samples, and its chat template.
import { choice, count, defaulting, flag, group, integer, optional, optionalText, positive } from '@bowyer/core';
import { MAX_TEMPERATURE, REPETITION_PENALTIES } from '@bowyer/models';
import { Type } from '@sinclair/typebox';
import { nodeOf } from './node.js';
import { quantization } from './policy-keys.js';

export const deviceNode = nodeOf('where models run, and in which arithmetic');
export const samplingNode = nodeOf('how a model writes');
export const chatNode = nodeOf('how messages become tokens');

export const seedOption = count('seed of all randomness in the run', 0);

export const deviceOptions = {
  kind: choice(
    ['cpu', 'webgpu', 'cuda', 'auto'],
    'cpu',
    'where models run. cpu: the CPU; webgpu: any GPU; cuda: an NVIDIA GPU with CUDA’s files installed; auto: a GPU where one works, else the CPU (docs/devices.md)',
    { flat: 'device' },
  ),
  precision: choice(
    ['float32', 'float16'],
    'float32',
    'number type of the arithmetic; float16 keeps float32 master weights, scales the loss and needs device.kind=webgpu (docs/devices.md)',
    { flat: 'precision' },
  ),
  gpu_buffers: choice(
    ['bucket', 'exact'],
    'bucket',
    'how unused buffers of device.kind=webgpu are kept for reuse. bucket: by classes of size, up to a limit; exact: all of them, each for tensors of its own size: faster where batches have few shapes, but each shape takes more memory (docs/devices.md)',
    { flat: 'gpu_buffers' },
  ),
  threads: integer(0, 'threads of ONNX Runtime; 0: one thread for each core', {
    minimum: 0,
    maximum: 256,
    flat: 'threads',
  }),
};

/** A device option that exists only in tasks that train. */
export const gradientOptions = {
  gradient_checkpointing: flag(
    false,
    'recompute each block in the backward pass instead of keeping its activations: about half the memory, more time',
    { flat: 'gradient_checkpointing' },
  ),
};

/** The config node `hub` of tasks that can download a model from the Hugging Face hub. */
export const hubNode = group(
  {
    offline: flag(false, 'use only models of the hub that were downloaded before, as HF_HUB_OFFLINE=1 does', {
      decides: false,
      flat: 'offline',
    }),
  },
  'models of the hub',
);

/** The option for choosing between sampling and greedy decoding, for tasks that have no other option for it. */
export const drawOption = {
  do_sample: flag(true, 'sample tokens; false: always take the most likely token', { flat: 'do_sample' }),
};

export const samplingOptions = {
  max_new_tokens: integer(32, 'longest text that the model writes at once, in tokens', { flat: 'max_new_tokens' }),
  temperature: Type.Number({
    minimum: 0,
    maximum: MAX_TEMPERATURE,
    default: 1,
    description: 'sampling temperature, dimensionless; 0: always take the most likely token',
    flat: 'temperature',
  }),
  // For comparison: ArCHer samples with the default of transformers, a top_k of 50, which its scorer ignores.
  top_k: integer(0, 'sample among the k most likely tokens; 0: among all tokens', { minimum: 0, flat: 'top_k' }),
  top_p: positive(1, 'sample among the most likely tokens that together have this probability', {
    maximum: 1,
    flat: 'top_p',
  }),
  // The default differs from ArCHer's, which is null and with which two of ArCHer's configs fail.
  eos_str: optionalText(
    'text that ends an utterance; it must be one token. null: only the tokenizer’s end-of-text token',
    { default: '\n', flat: 'eos_str' },
  ),
};

export const templateOptions = {
  template: optionalText(
    'how messages become tokens: llama-2, llama-3, chatml, chatglm-4, a file of Jinja, or one of the model’s templates by its name; null: the model’s own template',
    { flat: 'chat_template' },
  ),
  template_kwargs: Type.Record(Type.String(), Type.Unknown(), {
    default: {},
    description: 'variables of the chat template in every dialogue, for instance {enable_thinking: false}',
    flat: 'chat_template_kwargs',
  }),
};

/** The option that tasks which train on conversations have in the config node `chat`, in addition to those of the template. */
export const conversationOptions = {
  upstream_loss_mask: flag(
    false,
    'train on the same tokens as AgentGym’s code, which include headers and messages with `loss: false`',
    { flat: 'upstream_loss_mask' },
  ),
};

/**
 * Returns the config nodes of tasks in which a language model writes texts until its own end-of-text token.
 *
 * @param changed options of the config node `sampling` whose defaults differ in the task
 */
export const writerNodes = (changed: Partial<typeof samplingOptions & typeof drawOption>) => ({
  device: deviceNode(deviceOptions),
  hub: hubNode,
  sampling: samplingNode({
    ...samplingOptions,
    ...drawOption,
    eos_str: defaulting(samplingOptions.eos_str, null),
    repetition_penalty: optional(
      () => Type.Number({ minimum: REPETITION_PENALTIES.min, maximum: REPETITION_PENALTIES.max }),
      'the logits of tokens that the text contains already are divided by this number (multiplied where they are negative); 1: no penalty; null: the value in the model’s generation_config.json',
      { flat: 'repetition_penalty' },
    ),
    ...changed,
  }),
  chat: chatNode(templateOptions),
});

/** The options in the config node `task` of tasks in which a language model writes texts. */
export const writerOptions = {
  quantization,
  packed_decoding: optional(
    () => Type.Boolean(),
    'decode on the CPU with a second copy of the weights that is laid out for speed; false: half the memory, and slower decoding of few rows; null: true for 64 MiB to 4 GiB of weights, and false for a server with 25 or more slots',
  ),
};
