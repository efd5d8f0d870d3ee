// Defines the config nodes `policy`, `lora` and `optimizer`: the weights of the policy's model, its adapters, and its optimizer.
import { choice, count, flag, group, integer, nullable, oneOf, optionalText, positive } from '@bowyer/core';
import { Type, type TObject } from '@sinclair/typebox';
import type { Choices } from './choices.js';
import { nodeOf } from './node.js';

const closed = { additionalProperties: false } as const;

export const policyNode = nodeOf('the model that acts as the agent');

export const quantization = choice(
  ['none', '4bit', '8bit'],
  'none',
  'bits of the policy’s linear weights. none: as in the model’s files; 4bit, 8bit: quantized and frozen; lora.enabled=true trains adapters beside them (QLoRA)',
  { flat: 'quantization' },
);

export const policyOptions = {
  model: optionalText(
    'the policy in Hugging Face layout: a folder, a GGUF file, a model of the hub, or a PEFT adapter; null: built from the node `policy`',
    { flat: 'policy_lm' },
  ),
  checkpoint: optionalText(
    'the policy to start from or to play: a run’s folder (its best agent is taken), one of its checkpoints, or a model as for policy.model; null: the policy of the other options of this node',
    { flat: 'checkpoint_path' },
  ),
  quantization,
};

/**
 * The config node `policy` of tasks that name their model in the config node `task`, so that only the quantization is left in it.
 */
export const quantizationNode = policyNode({ quantization });

/** The options of a policy that is trained from scratch. Its vocabulary consists of the environment's words. */
export const builtInOptions = {
  model_type: oneOf(
    ['gpt2', 'llama', 'smeared_llama', 'canon_llama'],
    'architecture. gpt2: learned positions; llama: rotary positions, with which a model learns sooner to copy words from the context; smeared_llama: a ' +
      'llama whose attention keys are mixed with those of the token before; canon_llama: a llama whose Canon layers mix the last four tokens (docs/models/architectures.md)',
  ),
  n_layer: count('transformer blocks'),
  n_head: count('attention heads per block'),
  n_embd: count('size of the hidden states; a multiple of n_head'),
  n_positions: count('longest context in tokens'),
  initializer_range: nullable(
    Type.Number({ exclusiveMinimum: 0 }),
    'standard deviation of the first weights, as in config.json; null: 1 / √n_embd',
  ),
};

const loraSwitch = {
  enabled: flag(false, 'train adapters beside the policy, whose own weights stay unchanged', { flat: 'use_lora' }),
};

/** The options of LoRA adapters. If `policy.model` is a folder with a trained adapter, the adapter's own settings are used. */
const loraOptions = {
  r: integer(8, 'rank of the adapters'),
  alpha: positive(16, 'the output of the adapters is scaled by alpha / r'),
  dropout: Type.Number({
    minimum: 0,
    exclusiveMaximum: 1,
    default: 0,
    description: 'share of an adapter’s input dropped in training',
  }),
  target_modules: Type.Union([Type.Array(Type.String(), { minItems: 1 }), Type.String(), Type.Null()], {
    default: null,
    description:
      'layers with adapters: names such as [q_proj, v_proj], a regular expression for whole paths, or all-linear; null: PEFT’s choice for the architecture',
  }),
  integer_products: flag(
    false,
    'multiply the base’s weights as 8-bit integers in training and scoring, forward and backward: faster, with gradients within about 1 %; needs policy.quantization and device.kind=cpu',
  ),
};

/** The config node `lora` of tasks that train a policy. It has the options of adapters only if adapters are trained. */
export const loraNodeOf = ({ setting }: Choices) =>
  group(
    { ...loraSwitch, ...(setting('lora.enabled') === true && loraOptions) },
    'adapters beside a policy whose own weights stay unchanged',
  );

const betas = Type.Array(Type.Number({ minimum: 0, exclusiveMaximum: 1 }), {
  minItems: 2,
  maxItems: 2,
  description: 'decay of the first and of the second moment per step',
});
const weightDecay = Type.Number({
  minimum: 0,
  description: 'weight decay: in each step this share of the weights, times the learning rate, is subtracted',
});
const kindOfOptimizer = oneOf(
  ['adam', 'adamw', 'muon', 'sgd', 'adamw_8bit'],
  'adam: weight decay is added to the gradient; adamw: weight decay apart from it; adamw_8bit: adamw with its moments in a quarter of the memory; muon: orthogonal updates of the linear layers and adamw for the rest; sgd: stochastic gradient descent',
);
const optimizerOptions = {
  ...closed,
  description: 'optimizer of the policy, in the warm start too; the critic’s is Adam',
};
const adamNode = Type.Object(
  {
    kind: kindOfOptimizer,
    betas,
    eps: Type.Number({ exclusiveMinimum: 0, description: 'added to the root of the second moment' }),
    weight_decay: weightDecay,
  },
  optimizerOptions,
);
const momentumKeys = {
  momentum: Type.Number({ minimum: 0, exclusiveMaximum: 1, description: 'decay of the momentum per step; 0: none' }),
  nesterov: Type.Boolean({
    description: 'Nesterov’s momentum: the gradient is applied after a step along the momentum',
  }),
};
const sgdNode = Type.Object({ kind: kindOfOptimizer, weight_decay: weightDecay, ...momentumKeys }, optimizerOptions);
const muonNode = Type.Object({ ...adamNode.properties, ...momentumKeys }, optimizerOptions);

export const optimizerNode = (kind: unknown) => (kind === 'sgd' ? sgdNode : kind === 'muon' ? muonNode : adamNode);

export type LoraNode = TObject<typeof loraSwitch & typeof loraOptions>;

/** The type of the config node `optimizer` with the options of all kinds. */
export type OptimizerNode = TObject<(typeof adamNode)['properties'] & (typeof sgdNode)['properties']>;
