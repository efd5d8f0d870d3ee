// The options that decide how an agent is made and how it plays, by their nodes in the config. A task makes each of its nodes
// from the options that it reads. An algorithm's options are in the algorithm's folder.
import { dataFormatKey, dataSplitKey } from '@bowyer/conversations';
import { Type, type TObject, type TProperties } from '@sinclair/typebox';
import { actionChoices } from '@bowyer/algorithms';
import {
  changeableOnResume,
  choice,
  count,
  defaulting,
  flag,
  fraction,
  group,
  integer,
  nonNegative,
  nullable,
  oneOf,
  optional,
  optionalText,
  positive,
  text,
  type OptionsOf,
} from '@bowyer/core';
import { MAX_TEMPERATURE, REPETITION_PENALTIES } from '@bowyer/models';
import type { Choices } from './choices.js';

const closed = { additionalProperties: false } as const;

/** Makes a node of the options that a task reads. */
const node =
  (meaning: string) =>
  <Members extends TProperties>(members: Members) =>
    group(members, meaning);

export const deviceNode = node('where models run, and in which arithmetic');
export const samplingNode = node('how a model writes');
export const chatNode = node('how messages become tokens');
export const playNode = node('how episodes are played');
export const policyNode = node('the model that the agent is');
export const criticNode = node('the network that judges utterances');
export const warmStartNode = node('behaviour cloning before the first iteration, cached under a hash of its config');

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
    'number type of the arithmetic; float16 keeps float32 master weights, scales the loss and needs device=webgpu (docs/devices.md)',
    { flat: 'precision' },
  ),
  gpu_buffers: choice(
    ['bucket', 'exact'],
    'bucket',
    'how unused buffers of device=webgpu are kept for reuse. bucket: by classes of size, up to a limit; exact: all of them, each for tensors of its own size: faster where batches have few shapes, but each shape takes more memory (docs/devices.md)',
    { flat: 'gpu_buffers' },
  ),
  threads: integer(0, 'threads of ONNX Runtime; 0: one thread for each core', {
    minimum: 0,
    maximum: 256,
    flat: 'threads',
  }),
};

/** The node of tasks that can download a model from the hub. */
export const hubNode = group(
  {
    offline: flag(false, 'use only models of the hub that are downloaded already, as HF_HUB_OFFLINE=1 does', {
      decides: false,
      flat: 'offline',
    }),
  },
  'models of the hub',
);

/** The option of tasks that have no other one for choosing between sampling and greedy decoding. */
export const drawOption = {
  do_sample: flag(true, 'sample tokens; false: always take the most likely token', { flat: 'do_sample' }),
};

/** How a model samples. */
export const samplingOptions = {
  max_new_tokens: integer(32, 'longest text that the model writes at once, in tokens', { flat: 'max_new_tokens' }),
  temperature: Type.Number({
    minimum: 0,
    maximum: MAX_TEMPERATURE,
    default: 1,
    description: 'sampling temperature, dimensionless; 0: always take the most likely token',
    flat: 'temperature',
  }),
  // ArCHer's sampler has a hidden top_k of 50, which its scorer ignores.
  top_k: integer(0, 'sample among the k most likely tokens; 0: among all tokens', { minimum: 0, flat: 'top_k' }),
  top_p: positive(1, 'sample among the most likely tokens that together have this probability', {
    maximum: 1,
    flat: 'top_p',
  }),
  // ArCHer has none by default, with which two of its configs fail.
  eos_str: optionalText(
    'text that ends an utterance; it must be one token. null: only the tokenizer’s end-of-text token',
    { default: '\n', flat: 'eos_str' },
  ),
};

/** How messages become tokens: the options of the chat template. */
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

/** An option of tasks that train on conversations, in addition to those of the template. */
export const conversationOptions = {
  upstream_loss_mask: flag(
    false,
    'train on the same tokens as AgentGym’s code, which include headers and messages with `loss: false`',
    { flat: 'upstream_loss_mask' },
  ),
};

/** The options of tasks in which an agent plays episodes. The environment's own options are in the node `env`. */
export const episodeOptions = {
  slots: integer(32, 'episodes in play at the same time', { flat: 'slots' }),
  max_failure_share: fraction(0.5, 'a run stops when more than this share of the episodes collected together failed', {
    flat: 'max_failure_share',
  }),
  max_turns: optional(
    integer,
    'turns after which every episode is truncated; null: only the environment’s own limit applies',
    { flat: 'max_turns' },
  ),
  action_choice: choice(
    [...actionChoices],
    'free',
    'free: the agent writes any text; scored: it chooses among the valid actions by the log-probability of each as a whole, with its end; likelihood, likelihood_per_character: by that of the text alone, or divided by its characters, as lm-evaluation-harness does; constrained: it chooses among them token by token',
    { flat: 'action_choice' },
  ),
  as_chat: flag(
    false,
    'the agent plays through its chat template: observations are the user’s messages, actions the assistant’s',
    { flat: 'play_as_chat' },
  ),
};

const quantization = choice(
  ['none', '4bit', '8bit'],
  'none',
  'bits of the policy’s linear weights, which are then frozen; lora.enabled=true trains adapters beside them (QLoRA)',
  { flat: 'quantization' },
);

/** The options of the policy's model. */
export const policyOptions = {
  model: optionalText(
    'the policy in Hugging Face layout: a folder, a GGUF file, a model of the hub, or a PEFT adapter; null: built from the node `policy`',
    { flat: 'policy_lm' },
  ),
  checkpoint: optionalText(
    'the policy to start from or to play: a run’s folder (its best agent is taken), one of its checkpoints, or a model as for policy.model',
    { flat: 'checkpoint_path' },
  ),
  quantization,
};

/** The node `policy` of tasks that name their model in the node `task`. */
export const quantizationNode = policyNode({ quantization });

/**
 * Returns the nodes of tasks in which a language model writes texts until its own end-of-text token.
 *
 * @param changed options of sampling with other defaults
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

/** Options in the node `task` of tasks that write texts. */
export const writerOptions = {
  quantization,
  packed_decoding: optional(
    () => Type.Boolean(),
    'decode on the CPU with a second copy of the weights that is laid out for speed; false: half the memory, and slower decoding of few rows; null: true for 64 MiB to 4 GiB of weights, and false for a server with 25 or more slots',
  ),
};

const price = (what: string) => Type.Number({ minimum: 0, description: `price of a million ${what} tokens` });

const timeout = () => count('longest wait for the whole answer to a request, in milliseconds');

/** The options of a chat endpoint that plays instead of a model. */
export const endpointNode = Type.Object(
  {
    base_url: Type.String({ description: 'address up to the version, for instance http://127.0.0.1:8000/v1' }),
    model: Type.String({ description: 'name of the model at the endpoint' }),
    api_key_env: nullable(Type.String(), 'environment variable that contains the API key; null: no key is sent'),
    system: nullable(Type.String(), 'system message at the start; null: none'),
    temperature: Type.Number({ minimum: 0, description: 'sampling temperature, dimensionless; 0: greedy' }),
    top_p: nullable(
      samplingOptions.top_p,
      'the endpoint samples among the most likely tokens that together have this probability; null: the endpoint’s own default',
    ),
    max_tokens: count('longest reply in tokens'),
    concurrency: count('requests at the same time'),
    retries: count('further attempts after a failed request', 0),
    timeout_ms: changeableOnResume(timeout()),
    sends_seed: Type.Boolean({
      description: 'send a seed that follows from the run’s with each request; not every server accepts one',
    }),
    price_per_million_prompt_tokens: price('prompt'),
    price_per_million_completion_tokens: price('completion'),
  },
  { ...closed, description: 'a chat endpoint that plays in task=evaluate in the place of a local model' },
);

/** The endpoint that plays the rollouts instead of the policy. Without an address its other keys are not read. */
export const remotePolicyNode = group(
  {
    base_url: optionalText(
      'address, up to the version, of a server that returns token ids, for instance http://127.0.0.1:8000/v1; the server’s policy plays the rollouts. null: the local policy plays them',
      { decides: false },
    ),
    model: optionalText('name of the model at the server; null: none is sent'),
    api_key_env: optionalText('environment variable that contains the API key; null: no key is sent', {
      decides: false,
    }),
    concurrency: integer(64, 'requests at the same time', { decides: false }),
    retries: integer(5, 'further attempts after a failed request', { minimum: 0, decides: false }),
    timeout_ms: integer(300_000, 'longest wait for the whole answer to a request, in milliseconds', { decides: false }),
  },
  'a policy behind a server that plays the rollouts from which the local policy learns (docs/remote-policy.md)',
);

/** When rollouts are played: before each update, or during the updates. A synchronous run has the first key only. */
export const rolloutNode = group(
  {
    mode: choice(
      ['synchronous', 'lock_step', 'asynchronous'],
      'synchronous',
      'synchronous: rollouts are played between the updates; lock_step: they are played during the updates, by a copy of the policy that is ' +
        'max_staleness iterations old (deterministic); asynchronous: by a copy with the newest weights, without a pause (faster; no two runs are equal)',
    ),
    max_staleness: integer(
      1,
      'largest number of iterations between the weights that begin an episode and the weights that learn from it',
      { minimum: 0 },
    ),
    threads: integer(0, 'threads of the copy that plays; 0: the value of `threads`', { minimum: 0, maximum: 256 }),
  },
  'when rollouts are played and with which weights (docs/asynchronous.md)',
);

/** How a policy that is trained samples its rollouts. */
export const samplingPrecision = choice(
  ['float32', 'integers'],
  'float32',
  'arithmetic in which rollouts are sampled. float32: that of the policy itself, as in evaluations; integers: its linear layers multiply ' +
    'integers of 8 bits, made of the weights of each iteration, and algorithms that learn off-policy correct for it (docs/models/generation.md)',
  { flat: 'sampling_precision' },
);

/** The options of a policy from scratch, whose vocabulary is the environment's words. */
export const builtInOptions = {
  model_type: oneOf(
    ['gpt2', 'llama', 'smeared_llama', 'canon_llama'],
    'architecture. gpt2: learned positions; llama: rotary positions, with which a model learns sooner to copy words from the context; smeared_llama: a ' +
      'llama whose attention keys are mixed with those of the token before; canon_llama: a llama whose Canon layers mix the last four tokens (docs/models/architectures.md)',
  ),
  n_layer: count('transformer blocks'),
  n_head: count('attention heads per block'),
  n_embd: count('width; a multiple of n_head'),
  n_positions: count('longest context in tokens'),
  initializer_range: nullable(
    Type.Number({ exclusiveMinimum: 0 }),
    'standard deviation of the first weights, as in config.json; null: 1 / √n_embd',
  ),
};

const loraSwitch = {
  enabled: flag(false, 'train adapters beside the policy, whose own weights stay unchanged', { flat: 'use_lora' }),
};

/** The adapters. A policy that is an adapter folder keeps its own settings. */
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
    'multiply the base’s weights as 8-bit integers in training and scoring, forward and backward: faster, with gradients within about 1 %; needs quantization and device=cpu',
  ),
};

/** The node of tasks that train a policy. It has the options of adapters only if adapters are trained. */
export const loraNodeOf = ({ setting }: Choices) =>
  group(
    { ...loraSwitch, ...(setting('lora.enabled') === true && loraOptions) },
    'adapters beside a policy whose own weights stay unchanged',
  );

/** A device option of tasks that train. */
export const gradientOptions = {
  gradient_checkpointing: flag(
    false,
    'recompute each block in the backward pass instead of keeping its activations: about half the memory, more time',
    { flat: 'gradient_checkpointing' },
  ),
};

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

/** The folder of warm starts that several runs use. */
export const cacheOptions = {
  cache_dir: text('.cache', 'folder of finished warm starts; runs with the same warm-start config share one', {
    decides: false,
    flat: 'cache_dir',
  }),
};

/** Returns the schema of the node `optimizer`, with the keys of its kind only. */
export const optimizerNode = (kind: unknown) => (kind === 'sgd' ? sgdNode : kind === 'muon' ? muonNode : adamNode);

const kindOfCritic = oneOf(
  ['auto', 'line', 'recency', 'transformer'],
  'encoder. line: sums over the lines of a game of questions; recency: sums over lines, of which older ones weigh less, so that order counts; transformer: over the whole text, as in the paper; auto: line for games of questions, else recency',
);
const initialValue = Type.Union([Type.Number(), Type.Null()], {
  description: 'value that every head predicts at first; null: the typical return that the environment declares',
});
const criticWidth = count('width of the embeddings and heads');
const stateFeature = oneOf(['pooler', 'first', 'mean'], 'the vector of the encoder that represents a text');
const criticLength = count('longest text in tokens; longer ones lose their beginning');
const lineCritic = { kind: kindOfCritic, width: criticWidth, initial_value: initialValue };
const pretrainedCritic = {
  kind: kindOfCritic,
  initial_value: initialValue,
  max_length: criticLength,
  state_feature: stateFeature,
};
const transformerCritic = {
  ...pretrainedCritic,
  width: criticWidth,
  num_layers: count('transformer blocks'),
  num_heads: count('attention heads per block'),
};

/** Returns the options of a critic, with those of its kind only; a critic from `critic.model` has its sizes from there. */
export const criticOptions = ({ setting }: Choices): TProperties => ({
  ...criticModel,
  ...(setting('critic.kind') !== 'transformer'
    ? lineCritic
    : setting('critic.model') !== null
      ? pretrainedCritic
      : transformerCritic),
});

const criticModel = {
  model: optionalText(
    'the critic’s encoder in Hugging Face layout, a folder or a model of the hub; null: built from the node `critic`',
    { flat: 'critic_lm' },
  ),
};

const warmupSteps = 'optimizer steps of linear warm-up; negative: a tenth of all, as in AgentGym';
const finalShare = 'learning rate at the end, as a share of the peak; it has no effect on a constant rate';

/**
 * Returns the options of a schedule of a learning rate over the optimizer steps.
 *
 * @param values the defaults
 * @param flat names of version 0.2
 */
export const scheduleGroup = (
  values: { kind: 'linear' | 'cosine'; warmup_steps: number; final_share: number },
  flat: { schedule?: string; warmup_steps?: string; final_share?: string } = {},
) =>
  group(
    {
      kind: choice(['constant', 'linear', 'cosine'], values.kind, 'how the learning rate changes after the warm-up'),
      warmup_steps: Type.Integer({ default: values.warmup_steps, description: warmupSteps, flat: flat.warmup_steps }),
      final_share: fraction(values.final_share, finalShare, { flat: flat.final_share }),
    },
    'how the learning rate changes over the steps',
    { flat: flat.schedule },
  );

/** The options of the warm start: behaviour cloning before the first iteration. */
export const warmStartOptions = {
  epochs: integer(1, 'passes over the demonstrations'),
  batch_size: integer(32, 'dialogues per optimizer step'),
  lr: positive(1e-5, 'peak of the learning rate'),
  max_grad_norm: positive(1, 'largest global norm of the gradient; a larger gradient is scaled down to it'),
  observation_weight: nonNegative(
    0,
    'weight of −log p of each token that the environment wrote, where a token that the policy writes has 1; 0: only actions are trained on',
  ),
  save_minutes: nonNegative(
    5,
    'minutes between checkpoints: a process that is killed loses no more than that; 0: a checkpoint after every step',
    { decides: false },
  ),
  schedule: scheduleGroup(
    { kind: 'linear', warmup_steps: 0, final_share: 1 },
    { warmup_steps: 'warm_start.warmup_steps', final_share: 'warm_start.final_lr_share' },
  ),
};

/** The options of demonstrations. Each environment adds the keys that its own expert reads. */
export const demonstrationKeys = {
  path: optionalText(
    'a file to imitate: episodes as JSONL (such as a run’s trajectories), conversations or agents’ traces as JSON, JSONL or Parquet, or the environment’s own format; null: the environment’s expert plays',
  ),
  count: integer(3000, 'episodes to generate'),
};

/** The options of a file of conversations. */
export const demonstrationFileKeys = { format: dataFormatKey, split: dataSplitKey };

type Nodes = {
  seed: typeof seedOption;
  device: TObject<typeof deviceOptions & typeof gradientOptions>;
  hub: typeof hubNode;
  sampling: ReturnType<typeof writerNodes>['sampling'];
  chat: TObject<typeof templateOptions & typeof conversationOptions>;
  play: TObject<typeof episodeOptions>;
  policy: TObject<typeof policyOptions & typeof builtInOptions>;
  lora: TObject<typeof loraSwitch & typeof loraOptions>;
  critic: TObject<typeof criticModel & typeof lineCritic & typeof transformerCritic>;
  optimizer: TObject<(typeof adamNode)['properties'] & (typeof sgdNode)['properties']>;
  warm_start: TObject<typeof warmStartOptions & typeof cacheOptions>;
  demonstrations: TObject<typeof demonstrationKeys>;
};

/** The values of all shared nodes, in camelCase. */
export type AgentConfig = OptionsOf<TObject<Nodes>>;

/** Options of one node: `NodePart<'sampling', 'eosStr'>` is `{ sampling: { eosStr } }`. */
export type NodePart<Name extends keyof AgentConfig, Option extends keyof AgentConfig[Name]> = {
  [Key in Name]: Pick<AgentConfig[Key], Option>;
};
