// What a run's config may hold: one schema gives the TypeScript type, the validation before a run and the help text.
// Names, meanings and defaults of ArCHer's keys: its scripts/config/*.yaml at 7c771a7. Defaults live in configs/.
import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { anyEnvSchema, envNodeSchema, type EnvConfig } from './env-schema.js';
import { camelKeys } from '@bowyer/core';
import { launcherSchema, sweeperSchema } from './sweep/sweep-schema.js';

const nullable = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });
const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description });
const count = (description: string, minimum = 1) => Type.Integer({ minimum, description });
const rate = (description: string) => Type.Number({ exclusiveMinimum: 0, description });
const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const closed = { additionalProperties: false } as const;

/** Keys of ArCHer's configs, under their own names. */
const archerKeys = {
  cache_dir: Type.String({ description: 'folder of warm starts, reused by every run with the same warm-start config' }),
  huggingface_token: Type.String({
    description: 'kept for ArCHer configs; secrets belong in the environment (HF_TOKEN)',
  }),
  wandb_key: Type.String({ description: 'kept for ArCHer configs; secrets belong in the environment (WANDB_API_KEY)' }),
  policy_lm: nullable(
    Type.String(),
    'directory of the policy in Hugging Face layout, or of a PEFT adapter whose base is a directory; null: built from `policy`',
  ),
  critic_lm: nullable(
    Type.String(),
    'directory of the critic’s encoder in Hugging Face layout; null: built from `critic`',
  ),
  agent_type: Type.Unsafe<'archer' | 'chai' | 'online_filteredbc' | 'bc'>({
    type: 'string',
    enum: ['archer', 'archer_llm', 'chai', 'online_filteredbc', 'bc'],
    description:
      'algorithm; archer_llm, ArCHer’s name for it on a large model, is archer: see use_lora and play_as_chat for what it adds there',
  }),
  use_baseline: Type.Boolean({
    description: 'token-level baseline; read nowhere in ArCHer’s code, and not built here: must be false',
  }),
  use_lora: Type.Boolean({
    description: 'train adapters (node `lora`) beside the policy, which stays as it is after its supervised start',
  }),
  max_new_tokens: count('tokens the agent may write per turn'),
  eos_str: nullable(
    Type.String(),
    'text that ends an utterance; it must be one token. null: only the tokenizer’s end-of-text token',
  ),
  save_freq: count('iterations between checkpoints'),
  eval_freq: count('iterations between evaluations'),
  capacity: count('replay capacity in turns'),
  rollout_size: count('episodes per iteration'),
  eval_size: count('episodes per evaluation'),
  batch_size: count('turns per micro-batch'),
  iterations: count('outer iterations'),
  epochs: count('critic optimizer steps per iteration'),
  actor_epochs: count('policy optimizer steps per iteration'),
  warmup_iter: count('iterations with a frozen policy', 0),
  grad_accum_steps: count('micro-batches per optimizer step'),
  do_sample: Type.Boolean({ description: 'sample in rollouts; false: greedy' }),
  temperature: rate('sampling temperature, dimensionless'),
  critic_lr: rate('Adam rate of the critic'),
  lm_lr: rate('rate of the policy’s optimizer'),
  env_idx: nullable(Type.Integer({ minimum: 0 }), 'plays only the word of this index in the list; null: all'),
  gamma: share('discount per turn'),
  tau: share('Polyak step of the target critic, after every critic step'),
  max_grad_norm: rate('bound of the policy gradient’s global norm'),
  use_wandb: Type.Boolean({ description: 'kept for ArCHer configs; W&B is not built yet, true prints a warning' }),
  checkpoint_path: nullable(
    Type.String(),
    'policy to start from, a directory in Hugging Face layout; null: warm-started here by behaviour cloning',
  ),
  save_path: nullable(Type.String(), 'folder of the run; a run found there goes on. null: a new folder under outputs/'),
  env_name: nullable(Type.String(), 'ArCHer’s name for env.name; where both are given they must agree'),
  env_load_path: nullable(
    Type.String(),
    'adventure: ArCHer’s name for env.story; kept for its other configs (oracle weights, shop address)',
  ),
  env_server_base: nullable(
    Type.String(),
    'AgentGym’s name for env.base_url: address of the server of an environment that plays on one of AgentGym’s',
  ),
  webshop_lower: nullable(Type.Integer(), 'ArCHer’s name for env.webshop_lower on a site; null: 2000'),
  webshop_upper: nullable(Type.Integer(), 'ArCHer’s name for env.webshop_upper on a site; null: 2100'),
  project_name: Type.String({ description: 'logger project' }),
  run_name: Type.String({ description: 'title of the run in its report' }),
};

/** Keys that ArCHer's configs do not have. */
const ownKeys = {
  task: oneOf(
    [
      'train',
      'evaluate',
      'demonstrations',
      'replay',
      'play',
      'score',
      'generate',
      'convert',
      'serve_env',
      'serve_model',
    ],
    'what the run does',
  ),
  input: nullable(
    Type.String(),
    'JSONL file to read. replay: {reset, actions}; score: {prompt, continuation}; generate: {prompt} or {messages}; convert: file or directory of weights',
  ),
  output: nullable(
    Type.String(),
    'replay, score, generate: JSONL file to write; play: JSONL file that finished episodes are added to; convert: directory to make',
  ),
  model: nullable(
    Type.String(),
    'score, generate, serve_model: a language model in Hugging Face layout, a directory or OWNER/NAME[@REVISION] on the hub',
  ),
  config: nullable(
    Type.String(),
    'convert: config.json, or the directory of a model of the same sizes; null: beside the weights, or what they say themselves',
  ),
  tokenizer: nullable(
    Type.String(),
    'convert: directory with tokenizer.json, or a tokenizer file of llama2.c; null: beside the config or the weights',
  ),
  section: nullable(
    Type.String(),
    'convert: where in a PyTorch file the state dict is, for instance critic_state_dict; null: the usual places',
  ),
  chat_template: nullable(
    Type.String(),
    'how messages become tokens, for generate, serve_model, conversations to imitate and play_as_chat: llama-2, llama-3, chatml, chatglm-4, or a file of Jinja; null: the model’s own',
  ),
  upstream_loss_mask: Type.Boolean({
    description:
      'conversations to imitate: learn the tokens that AgentGym’s code learns, `loss: false` and headers included',
  }),
  play_as_chat: Type.Boolean({
    description:
      'the agent plays and learns through its chat template: what the environment says are the user’s messages, its actions the assistant’s',
  }),
  ignore_eos: Type.Boolean({ description: 'generate: go on after a token that ends texts, up to max_new_tokens' }),
  offline: Type.Boolean({
    description: 'take models of the hub only from what is downloaded already; as HF_HUB_OFFLINE=1',
  }),
  batch_tokens: count('score: tokens in a batch, padding included'),
  host: Type.String({
    description: 'serve_env, serve_model: address to listen on; 0.0.0.0 lets everybody on the network in',
  }),
  port: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    description: 'serve_env, serve_model: port to listen on; 0: any free one',
  }),
  served_name: nullable(Type.String(), 'serve_model: what clients call the model; null: the name of its directory'),
  server_key_env: nullable(
    Type.String(),
    'serve_model: environment variable with the key that clients must send; null: nobody is asked for one',
  ),
  max_queued: count('serve_model: answers that wait for a slot; a request beyond gets status 429', 0),
  context_length: nullable(
    Type.Integer({ minimum: 2 }),
    'serve_model: longest context in tokens, of which every slot has its share of memory; null: the model’s',
  ),
  max_instances: count('serve_env: environments at the same time'),
  idle_minutes: rate('serve_env: an environment that nobody asks for is closed after this many minutes'),
  max_failure_share: share('a run stops when more than this share of the episodes collected at once failed'),
  seed: count('all randomness of the run follows from it', 0),
  device: oneOf(
    ['cpu', 'webgpu', 'cuda', 'auto'],
    'where models run: the processor; any GPU; NVIDIA with CUDA’s files installed; the fastest of these that is there (docs/devices.md)',
  ),
  precision: oneOf(
    ['float32', 'float16'],
    'what models calculate in; float16, with float32 master weights and loss scaling, on device=webgpu alone (docs/devices.md)',
  ),
  threads: count('threads of ONNX Runtime; 0: one a core', 0),
  slots: count('episodes in play at the same time; serve_model: answers at the same time'),
  top_k: count('samples among the k likeliest tokens; 0: all. ArCHer’s sampler has a hidden 50', 0),
  top_p: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    description: 'samples among the likeliest tokens that hold this probability',
  }),
  eval_do_sample: Type.Boolean({ description: 'sample in evaluations; false: greedy, as ArCHer does' }),
  test_size: count('episodes of the final test, never seen in training or in choosing the best policy'),
  lm_lr_final_share: share(
    'policy rate at the last iteration as a share of lm_lr, falling linearly; 1: constant, as ArCHer',
  ),
  score_terminator: Type.Boolean({ description: 'the token that ends an utterance is trained too; false: as ArCHer' }),
  actor_samples: oneOf(
    ['rollout', 'replay'],
    'what actor steps train on: the new episodes’ utterances, or as in the paper fresh ones at replayed states',
  ),
  v_target_action: oneOf(
    ['stored', 'policy'],
    'action in the V target: the stored one, or as in the paper a fresh sample',
  ),
  td_target: oneOf(['own', 'min'], 'a Q head bootstraps from its own target V head, or from the smaller of the two'),
  clip_scope: oneOf(
    ['own', 'all'],
    'gradients under the clip: of the network being stepped, or as in ArCHer’s code of all',
  ),
  grad_reduction: oneOf(['sum', 'mean'], 'micro-batch gradients are added, or averaged'),
  critic_max_grad_norm: rate('bound of the critic gradient’s global norm'),
  gradient_checkpointing: Type.Boolean({
    description:
      'training computes each block again in its backward pass instead of keeping it: about half the memory, more time',
  }),
  quantization: oneOf(
    ['none', '4bit', '8bit'],
    'bits of the policy’s linear weights, which are frozen then: with use_lora (QLoRA), or to evaluate, score and generate',
  ),
  num_candidates: count('CHAI: utterances proposed per turn'),
  filter_quantile: share('filtered BC: episodes with a return at or above this quantile are imitated'),
  filter_window: nullable(Type.Integer({ minimum: 1 }), 'filtered BC: iterations the filter looks back; null: all'),
};

const price = (what: string) => Type.Number({ minimum: 0, description: `price of a million ${what} tokens` });
const endpoint = Type.Object(
  {
    base_url: Type.String({ description: 'address up to the version, for instance http://127.0.0.1:8000/v1' }),
    model: Type.String({ description: 'name of the model at the endpoint' }),
    api_key_env: nullable(Type.String(), 'environment variable that holds the key; null: none is sent'),
    system: nullable(Type.String(), 'first message, of the system; null: none'),
    temperature: Type.Number({ minimum: 0, description: 'sampling temperature, dimensionless' }),
    max_tokens: count('tokens the agent may write per turn'),
    concurrency: count('requests at the same time'),
    retries: count('further attempts after a failed request', 0),
    sends_seed: Type.Boolean({
      description: 'requests carry a seed that follows from the run’s; not every server takes one',
    }),
    price_per_million_prompt_tokens: price('prompt'),
    price_per_million_completion_tokens: price('completion'),
  },
  { ...closed, description: 'task=evaluate: this chat endpoint plays instead of a model here' },
);

const policy = Type.Object(
  {
    model_type: oneOf(
      ['gpt2', 'llama'],
      'architecture: learned positions, or rotary ones, which soon learn to copy words from the context',
    ),
    n_layer: count('transformer blocks'),
    n_head: count('attention heads per block'),
    n_embd: count('width; a multiple of n_head'),
    n_positions: count('longest context in tokens'),
    endpoint: Type.Optional(endpoint),
  },
  { ...closed, description: 'built-in policy: a model from scratch on words of its environment' },
);

const lora = Type.Object(
  {
    r: count('rank of the adapters'),
    alpha: rate('the adapters’ output is scaled by alpha / r'),
    dropout: Type.Number({
      minimum: 0,
      exclusiveMaximum: 1,
      description: 'share of an adapter’s input dropped in training',
    }),
    target_modules: Type.Union([Type.Array(Type.String(), { minItems: 1 }), Type.String(), Type.Null()], {
      description:
        'layers with adapters: names such as [q_proj, v_proj], one regular expression for whole paths, or all-linear; null: PEFT’s choice for the architecture',
    }),
  },
  { ...closed, description: 'adapters of use_lora; a policy that is an adapter directory keeps its own' },
);

const critic = Type.Object(
  {
    kind: oneOf(['line', 'transformer'], 'encoder: pooled lines, or a transformer over the whole text as in the paper'),
    width: count('width of the embeddings and heads'),
    initial_value: Type.Number({ description: 'value that all heads start from: the expected discounted return' }),
    num_layers: count('transformer blocks'),
    num_heads: count('attention heads per block'),
    max_length: count('longest text in tokens; longer ones lose their beginning'),
    state_feature: oneOf(['pooler', 'first', 'mean'], 'which vector of the encoder stands for a text'),
  },
  closed,
);

const optimizer = Type.Object(
  {
    kind: oneOf(
      ['adam', 'adamw', 'sgd', 'adamw_8bit'],
      'adam: decay in the gradient; adamw: decay beside it; adamw_8bit: its moments in a quarter of the memory; sgd',
    ),
    betas: Type.Array(Type.Number({ minimum: 0, exclusiveMaximum: 1 }), {
      minItems: 2,
      maxItems: 2,
      description: 'Adam and AdamW: decay of the first and second moment per step',
    }),
    eps: rate('Adam and AdamW: added to the root of the second moment'),
    weight_decay: Type.Number({
      minimum: 0,
      description: 'share of the weights that a step takes off, times the rate',
    }),
    momentum: Type.Number({
      minimum: 0,
      exclusiveMaximum: 1,
      description: 'SGD: decay of the momentum per step; 0: none',
    }),
    nesterov: Type.Boolean({ description: 'SGD: look ahead by the momentum' }),
  },
  { ...closed, description: 'optimizer of the policy, in the warm start too; the critic’s is Adam' },
);

const schedule = (steps: string, description: string) =>
  Type.Object(
    {
      kind: oneOf(['constant', 'linear', 'cosine'], 'how the rate goes on after the warm-up'),
      warmup_steps: Type.Integer({
        description: `${steps} of linear warm-up; negative: a tenth of them all, as AgentGym means it`,
      }),
      final_share: share('rate at the end, as a share of the peak; a constant rate does not look at it'),
    },
    { ...closed, description },
  );

const warmStart = Type.Object(
  {
    epochs: count('passes over the demonstrations'),
    batch_size: count('dialogues per optimizer step'),
    lr: rate('peak of the optimizer’s rate'),
    warmup_steps: Type.Integer({ description: 'optimizer steps of linear warm-up; negative: a tenth of them all' }),
    final_lr_share: share('rate at the end, as a share of the peak'),
    max_grad_norm: rate('bound of the gradient’s global norm'),
    save_minutes: Type.Number({
      minimum: 0,
      description: 'minutes between checkpoints: the work that a kill may cost; 0: after every optimizer step',
    }),
    schedule: schedule('optimizer steps', 'how the rate goes over the steps'),
  },
  { ...closed, description: 'behaviour cloning before the first iteration, cached by a hash of its config' },
);

const demonstrations = Type.Object(
  {
    path: nullable(
      Type.String(),
      'episodes as JSONL; conversations as JSON or JSONL ({conversations: [{from, value, loss}]} or {messages: [{role, content}]}); for twenty_questions also a file in the format of twenty_questions.json; null: generated here',
    ),
    count: count('episodes to generate'),
    noise: share('twenty_questions: share of the demonstrator’s turns that are random'),
    attributes: nullable(
      Type.Integer({ minimum: 1 }),
      'twenty_questions: questions are about the N attributes that split the words best; null: two for each word, at most sixty',
    ),
    wordings: count('twenty_questions: wordings per attribute'),
    max_unclear: share(
      'twenty_questions: share of the words for which an attribute question may be unclear (answered "Invalid Question.")',
    ),
  },
  { ...closed, description: 'expert games that the warm start imitates' },
);

const nodes = {
  policy,
  lora,
  critic,
  optimizer,
  lm_schedule: schedule('iterations', 'how the policy’s rate goes over the iterations after warmup_iter'),
  warm_start: warmStart,
  demonstrations,
  launcher: launcherSchema,
  sweeper: sweeperSchema,
};

const schemaWith = (envSchema: object) =>
  Type.Object({ ...ownKeys, ...archerKeys, env: Type.Unsafe<EnvConfig>(envSchema), ...nodes }, closed);

/** For any environment: of the `env` node only the name is checked. */
export const runConfigSchema = schemaWith(anyEnvSchema());

const schemas = new Map<string, typeof runConfigSchema>();

/** With the options of one environment. */
export function runConfigSchemaFor(name: string): typeof runConfigSchema {
  const schema = schemas.get(name) ?? schemaWith(envNodeSchema(name));
  schemas.set(name, schema);
  return schema;
}

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;
type CamelKeys<T> = T extends readonly (infer _)[]
  ? T
  : T extends object
    ? { [K in keyof T as K extends string ? CamelCase<K> : K]: CamelKeys<T[K]> }
    : T;

/** A validated run config as it is written. */
export type RunConfigYaml = Static<typeof runConfigSchema>;

/** The same with camelCase keys. What the `env` node holds besides its name, the environment's own schema has checked. */
export type RunConfig = Omit<CamelKeys<RunConfigYaml>, 'env'> & { env: EnvConfig };

/** The one border between YAML's snake_case and the code's camelCase. */
export function toRunConfig(config: RunConfigYaml): RunConfig {
  const { agentType, ...others } = camelKeys(config) as RunConfig;
  return { ...others, agentType: sameAgent[agentType] ?? agentType };
}

/** ArCHer's names for agents that are one here. */
const sameAgent: Partial<Record<string, RunConfig['agentType']>> = { archer_llm: 'archer' };
