// Tests that every key that a task declares is read when the task runs. A key that is not read would be ignored silently.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '@bowyer/config';
import { WandbServer, whenExhaustive, answerChats, type AnsweringServer } from '@bowyer/testing';
import type { TObject, TProperties } from '@sinclair/typebox';
import { camelKeys, ReadWatcher } from '@bowyer/core';
import { unreadKeys } from '../src/config/prepare.js';
import { schemaOf } from '../src/config/units.js';
import { validateConfig } from '../src/config/validate-config.js';
import { resolvedConfig } from '../src/context/resolved-config.js';
import { bowyer } from '../src/program.js';
import { runTask } from '../src/run-task.js';
import { findAlgorithm, algorithmNames } from '@bowyer/algorithms';
import { taskNames } from '../src/tasks/registry.js';
import { repository } from './command-line.js';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'bowyer-keys-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));
const at = (...path: string[]) => join(folder, ...path);

/** Keys that are read before a task begins, or not at all because only one value is allowed. */
const READ_ELSEWHERE: Readonly<Record<string, string>> = {
  'task.name': 'chooses the task',
  plugins: 'prepare imports them',
  quiet: 'the terminal reads it',
  json: 'the terminal reads it',
  launcher: 'the sweep reads it',
  sweeper: 'the sweep reads it',
  savePath: 'hydra.run.dir follows it',
  env: 'environments read their own options',
  'task.allowAnonymous': 'validation reads it, with host',
  'task.allowRemote': 'validation reads it, with host',
  remotePolicy: 'read with an address alone, which must answer: remote-rollouts.test.ts',
  'hub.offline': 'read where a model is named by its place on the hub',
  'task.asTrained': 'the command line takes other keys from the run of the agent',
};

interface Watched {
  declared: string[];
  read: ReadonlySet<string>;
}

/** Composes, validates and runs a config in this process. */
async function watched(configName: string, overrides: readonly string[]): Promise<Watched> {
  const configDirs = [join(repository, 'configs')];
  const composed = compose({
    configDirs,
    configName,
    overrides: [...overrides, `save_path=${at(configName, String(runs++))}`],
    flatNames: bowyer([]).flatNames,
  });
  const given = overrides.map((text) => ({
    kind: 'change' as const,
    key: composed.pathOf(text.split('=')[0]),
    isGroup:
      !text.split('=')[0].includes('.') &&
      ['task', 'algorithm', 'env', 'policy', 'critic', 'optimizer'].includes(text.split('=')[0]),
    value: undefined,
    text,
  }));
  const context = { purpose: 'run' as const, overrides: given, cwd: repository };
  const composition = composed.without(await unreadKeys(composed, context, configDirs));
  await validateConfig(composition);
  const schema = schemaOf(composition);
  const config = composition.resolve();
  const watcher = new ReadWatcher();
  let interrupt: (() => void) | null = null;
  const directory = config.save_path as string;
  await runTask(
    {
      directory,
      config: resolvedConfig(config, schema),
      log: () => undefined,
      // A server runs until the user stops it, and the game of a person until they end it.
      print: (text) => void (/Ctrl-C|^> $/.test(text) && setImmediate(() => interrupt?.())),
      progress: { write: () => true },
      onInterrupt: (stop) => (interrupt = stop),
    },
    watcher,
  );
  return { declared: leaves(schema.properties), read: watcher.read };
}
let runs = 0;

/** Lists the leaves of schemas as camelCase paths. */
function leaves(options: TProperties, prefix = ''): string[] {
  return Object.entries(options).flatMap(([key, own]) => {
    const [camel] = Object.keys(camelKeys({ [key]: null }) as object);
    const path = `${prefix}${camel}`;
    if (Object.hasOwn(READ_ELSEWHERE, path)) return [];
    return own.properties ? leaves(own.properties as TProperties, `${path}.`) : [path];
  });
}

/**
 * Checks that every declared key is read in one of the variants.
 *
 * @param isChecked whether a declared key (in camelCase) is checked; if not given, all keys are
 */
async function expectAllRead(
  variants: readonly (readonly [string, ...string[]])[],
  isChecked: (key: string) => boolean = () => true,
): Promise<void> {
  const declared = new Set<string>();
  const read = new Set<string>();
  for (const [configName, ...overrides] of variants) {
    const run = await watched(configName, overrides);
    run.declared.forEach((key) => declared.add(key));
    run.read.forEach((key) => read.add(key));
  }
  expect(declared.size).toBeGreaterThan(0);
  expect([...declared].filter((key) => isChecked(key) && !read.has(key))).toEqual([]);
}

const tinyPolicy = [
  'policy.n_embd=16',
  'policy.n_layer=1',
  'policy.n_head=2',
  'demonstrations.count=32',
  'env.max_turns=4',
];
const tinyTest = ['test_size=4', 'slots=4', 'threads=1', 'max_new_tokens=4'];
const tinyStart = ['warm_start.epochs=1', 'cache_dir=CACHE'];
const tinyLoop = ['iterations=1', 'rollout_size=4', 'eval_freq=1', 'eval_size=4', 'save_freq=1', 'capacity=50'];
const tinyCritic = ['epochs=1', 'batch_size=4', 'critic.width=16'];
const paper = ['critic=transformer', 'critic.num_layers=1', 'critic.num_heads=2', 'v_target_action=policy'];
const chat = ['play_as_chat=true', 'chat_template=chatml', 'eos_str=null'];

/**
 * The variants that together read all keys of an algorithm, for algorithms for which `smallVariant` is not enough. Those of
 * `archer`, which plays, and of `bc`, which has a dataset, also read the keys that the task declares for all algorithms.
 */
const variantsOf: Readonly<Record<string, () => (readonly string[])[]>> = {
  archer: () => {
    const tiny = [
      ...tinyPolicy,
      ...tinyTest,
      ...tinyStart,
      ...tinyLoop,
      ...tinyCritic,
      'warmup_iter=0',
      'actor_epochs=1',
    ];
    return [
      tiny,
      [
        ...tiny,
        ...paper,
        'actor_samples=replay',
        'kl_coefficient=0.1',
        'use_baseline=true',
        'td_steps=2',
        'importance_clip=5',
        'rollout.mode=asynchronous',
      ],
      [...tiny, 'optimizer=sgd', 'use_lora=true', 'memory=bm25', 'memory.demonstrations=false', 'memory.grow=true'],
      [...tiny, ...chat],
    ];
  },
  chai: () => {
    const tiny = [...tinyPolicy, ...tinyTest, ...tinyStart, ...tinyLoop, ...tinyCritic];
    return [tiny, [...tiny, ...paper]];
  },
  online_filteredbc: () => {
    const tiny = [
      ...tinyPolicy,
      ...tinyTest,
      ...tinyStart,
      ...tinyLoop,
      'warmup_iter=0',
      'actor_epochs=1',
      'batch_size=4',
    ];
    return [tiny];
  },
  ppo: () => {
    const tiny = [...tinyPolicy, ...tinyTest, ...tinyStart, ...tinyLoop.filter((key) => !key.startsWith('capacity'))];
    const small = [...tiny, 'warmup_iter=0', 'inner_epochs=1', 'minibatch_size=2'];
    return [
      [...small, 'env.max_turns=2', 'adaptive_kl_target=1'],
      [...small, 'gae_level=token', 'value_function=critic', 'kl_in=loss'],
    ];
  },
  iql: offline,
  awr: offline,
  offline_archer: offline,
  grpo: () => groupVariants(['kl_coefficient=0.1'], ['sampling_rounds=2']),
  reinforce_pp: () => groupVariants(['kl_coefficient=0.1', 'kl_in=loss'], ['baseline=group', 'group_size=2']),
  opd: () => groupVariants([`teacher=${at('agent')}`]),
  agent_evol: () => {
    const tiny = [...tinyPolicy, ...tinyTest, ...tinyStart, ...tinyLoop.filter((key) => !key.startsWith('capacity'))];
    return [[...tiny, 'epochs=1', 'batch_size=4', 'max_input_length=400', 'sample_num=2']];
  },
  dagger: () => {
    const tiny = [...tinyPolicy, ...tinyTest, ...tinyStart, ...tinyLoop].filter((key) => !/^(capacity|env)/.test(key));
    const learned = ['env=tabular', ...tiny, 'window=2', 'epochs=1', 'batch_size=4'];
    return [learned, [...learned, 'labels=all']];
  },
  bc: onDataset,
  filteredbc: onDataset,
  offline_dpo: () => {
    return [[...tinyPolicy, ...tinyTest, 'epochs=1', 'save_minutes=0']];
  },
};

/** Returns a small run of an algorithm without an entry above, with a reference policy if it may have one. */
function smallVariant(name: string): string[] {
  const small = {
    'algorithm.iterations': 1,
    'algorithm.epochs': 1,
    'algorithm.saveFreq': 1,
    'algorithm.rollout.size': 4,
    'algorithm.rollout.groupSize': 2,
    'algorithm.eval.freq': 1,
    'algorithm.eval.size': 4,
    'algorithm.batch.size': 4,
    'algorithm.actor.minibatchSize': 2,
    'algorithm.kl.coefficient': 0.1,
  };
  const own = ownKeys(name);
  const chosen = Object.entries(small).filter(([key]) => own.includes(key));
  const { needs } = findAlgorithm(name)!;
  const start = needs.source === 'episodes' ? tinyStart : ['save_minutes=0'];
  const critic = needs.critic === null ? [] : ['critic.width=16'];
  const set = chosen.map(([key, value]) => `${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}=${value}`);
  return [...tinyPolicy, ...tinyTest, ...start, ...critic, ...set];
}

/** Lists the variants of methods that learn from groups of their own episodes. @param first words of every variant */
function groupVariants(first: readonly string[], ...others: (readonly string[])[]): (readonly string[])[] {
  const loop = tinyLoop.filter((override) => !override.startsWith('capacity'));
  const sized = first.some((override) => override.startsWith('teacher')) ? [] : ['group_size=2'];
  const tiny = [...tinyPolicy, ...tinyTest, ...tinyStart, ...loop, 'minibatch_size=2', ...first, ...sized];
  return [tiny, ...others.map((more) => [...tiny, ...more])];
}

function onDataset(): (readonly string[])[] {
  const tiny = [...tinyPolicy, ...tinyTest, 'epochs=1', 'save_minutes=0'];
  const given = tiny.filter((override) => !override.startsWith('policy.'));
  const integers = ['quantization=8bit', 'lora.integer_products=true'];
  const lora = [...given, 'use_lora=true', `policy_lm=${at('agent')}`, ...integers];
  const evaluated = ['optimizer=muon', 'validation_share=0.25', 'eval_size=4', 'max_input_length=400'];
  return [tiny, [...tiny, ...evaluated], lora];
}

function offline(): (readonly string[])[] {
  const loop = ['epochs=2', 'batch_size=4', 'warmup_epochs=1', 'save_minutes=0', 'eval_size=4', 'critic.width=16'];
  return [[...tinyPolicy, ...tinyTest, ...loop]];
}

/** A trained agent, which other tests play and train further. */
beforeAll(async () => {
  await watched('bc_20q', variantsOf.bc()[0]);
  await cp(at('bc_20q', '0', 'checkpoints', 'best'), at('agent'), { recursive: true });
  await watched('bc_20q', [...variantsOf.bc()[0], ...chat]);
  await cp(at('bc_20q', '1', 'checkpoints', 'best'), at('chat-agent'), { recursive: true });
});

async function expectAlgorithmReads(name: string): Promise<void> {
  const unit = findAlgorithm(name)!;
  const isWhole = ['archer', 'bc'].includes(name);
  const variants = variantsOf[name]?.() ?? [smallVariant(name)];
  await expectAllRead(
    variants.map((overrides, variant) => [
      'archer_20q',
      `algorithm=${unit.name}`,
      // A warm start from the cache reads none of its keys.
      ...overrides.map((override) =>
        override.replace('CACHE', at('cache', isWhole && variant === 0 ? name : 'shared')),
      ),
    ]),
    isWhole ? undefined : (key) => key.startsWith('algorithm.'),
  );
}

const ownKeys = (name: string) =>
  leaves((findAlgorithm(name)!.options as TObject).properties as TProperties, 'algorithm.');
/** The last algorithms whose keys all have names that other algorithms declare too. */
const repeated = algorithmNames().reduceRight<string[]>((left, name) => {
  const others = algorithmNames().filter((other) => other !== name && !left.includes(other));
  const theirs = new Set(others.flatMap(ownKeys));
  return ownKeys(name).every((key) => theirs.has(key)) ? [...left, name] : left;
}, []);
const checked = algorithmNames().filter((name) => !repeated.includes(name));

const title = 'task=train algorithm=%s reads every key that it declares';
test.each(checked)(title, expectAlgorithmReads, 180_000);
whenExhaustive().test.each(repeated)(title, expectAlgorithmReads, 180_000);

const lines = async (name: string, ...records: object[]) => {
  await writeFile(at(name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return at(name);
};

const script = async (name: string, text: string) => {
  await writeFile(at(name), text);
  return at(name);
};

/** Writes four dialogues for training. */
const talks = () => {
  const [user, assistant] = ['is it', 'yes'];
  const messages = Object.entries({ user, assistant }).map(([role, content]) => ({ role, content }));
  return lines('talks.jsonl', ...Array(4).fill({ messages }));
};

/** Makes an agent that calls the model once, and whose reward is a random number. */
const agentKeys = async () => [
  `model=${at('chat-agent')}`,
  'chat_template=chatml',
  `agent=node ${await script(
    'agent.mjs',
    `await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json',
       authorization: 'Bearer ' + process.env.OPENAI_API_KEY }, body: JSON.stringify({ messages: [{ role: 'system', content: 'a dog' }, { role: 'user', content: 'is it' }], max_tokens: 2 }) });
     console.log(JSON.stringify({ reward: Math.random() }));`,
  )}`,
  `tasks=${await lines('tasks.jsonl', ...[1, 2, 3, 4].map((id) => ({ id })))}`,
  'threads=1',
];

/** For every other task, runs that together read all of its keys. */
const tasks: Readonly<Record<string, () => Promise<(readonly [string, ...string[]])[]>>> = {
  evaluate: async () => [
    ['archer_20q', 'task=evaluate', `checkpoint_path=${at('agent')}`, ...tinyTest, 'env.max_turns=4'],
    ['archer_20q', 'task=evaluate', `checkpoint_path=${at('chat-agent')}`, ...tinyTest, 'env.max_turns=4', ...chat],
    [
      'archer_20q',
      'task=evaluate',
      `checkpoint_path=${at('agent')}`,
      ...tinyTest.slice(1),
      'env.max_turns=4',
      '~test_size',
      `item_list=${await lines('list.jsonl', { item_id: 'twenty_questions_1' })}`,
      'data_len=1',
    ],
  ],
  reverify: async () => {
    const turn = { action: 'is it a dog?', reply: ' No.\n', reward: -1, terminated: false, truncated: false, info: {} };
    const episode = {
      episode: 0,
      iteration: 0,
      seed: 1,
      split: 'test',
      opening: 'Questions:\n',
      turns: [turn],
      segments: [],
    };
    const input = `input=${await lines('stored.jsonl', episode)}`;
    const list = await lines('items.jsonl', { item_id: 'twenty_questions_1' });
    return [
      ['reverify', input],
      ['reverify', input, `item_list=${list}`, 'data_len=1'],
    ];
  },
  demonstrations: async () => [['archer_20q', 'task=demonstrations', 'demonstrations.count=4']],
  generate: async () => [
    [
      'generate',
      `model=${at('chat-agent')}`,
      `input=${await lines('prompts.jsonl', { prompt: 'Questions:' }, { messages: [{ role: 'user', content: 'is it' }] })}`,
      `output=${at('texts.jsonl')}`,
      'max_new_tokens=4',
      'threads=1',
      'chat_template=chatml',
    ],
  ],
  score: async () => [
    [
      'score',
      `model=${at('agent')}`,
      `input=${await lines('pairs.jsonl', { prompt: 'Questions:', continuation: 'is it' })}`,
      `output=${at('scores.jsonl')}`,
      'threads=1',
    ],
  ],
  serve_model: async () => [
    [
      'serve_model',
      `model=${at('chat-agent')}`,
      'port=0',
      'slots=2',
      'threads=1',
      'chat_template=chatml',
      `record=${at('traffic')}`,
    ],
  ],
  train_agent: async () => {
    const keys = await agentKeys();
    const tiny = [
      'train_agent',
      ...keys,
      'iterations=1',
      'rollout_size=2',
      'group_size=2',
      'eval_freq=1',
      'eval_size=1',
      'test_size=1',
    ] as const;
    return [
      [...tiny, 'kl_coefficient=0.1', 'sampling_rounds=2'],
      [
        ...tiny,
        'use_lora=true',
        'optimizer=sgd',
        'lm_lr=0.01',
        `reward=node ${await script('judge.mjs', 'console.log(Math.random())')}`,
      ],
    ];
  },
  evaluate_agent: async () => [
    [
      'evaluate_agent',
      ...(await agentKeys()),
      'samples=2',
      // There is no endpoint at this address, so its rollouts fail.
      `compare_with=[${at('chat-agent')},"http://127.0.0.1:9/v1#none"]`,
      'endpoint_keys={127.0.0.1\\:9: PATH}',
      'prices={none: {input: 1, output: 2}}',
      'max_failure_share=1',
      'fail_below=-1',
      'fail_drop=10',
    ],
  ],
  optimize_prompt: async () => [
    [
      'optimize_prompt',
      ...(await agentKeys()),
      'eval_share=0.25',
      'test_share=0.25',
      'test_samples=1',
      'minibatch_size=1',
      'budget=6',
      `reflector.base_url=${reflector.address}/v1`,
    ],
  ],
  serve_tinker: async () => [
    ['serve_tinker', `model=${at('chat-agent')}`, 'port=0', 'slots=2', 'threads=1', 'chat_template=chatml'],
  ],
  record_agent: async () => [
    ['record_agent', `model=${at('chat-agent')}`, 'port=0', 'slots=2', 'threads=1', 'chat_template=chatml'],
    ['record_agent', 'upstream=http://127.0.0.1:9/v1', 'port=0'],
    ['record_agent', ...(await agentKeys()), 'port=0', 'slots=2'],
  ],
  convert: async () => [
    [
      'convert',
      `input=${at('agent', 'model.safetensors')}`,
      `output=${at('converted')}`,
      `config=${at('agent')}`,
      `tokenizer=${at('agent')}`,
    ],
  ],
  export: async () => [
    [
      'export',
      `model=${await byteLevelAgent()}`,
      'format=gguf',
      `output=${at('exported')}`,
      'dtype=bf16',
      'license=mit',
    ],
  ],
  play: async () => [['play', 'env.max_turns=1', `output=${at('played.jsonl')}`]],
  replay: async () => [
    [
      'replay',
      `input=${await lines('actions.jsonl', { reset: { seed: 1 }, actions: ['is it a dog?'] })}`,
      `output=${at('replayed.jsonl')}`,
    ],
  ],
  serve_env: async () => [
    ['serve_env', 'port=0'],
    ['serve_env', 'protocol=mcp', 'port=0'],
  ],
  dashboard: async () => [['dashboard', `dir=${folder}`, 'port=0']],
  report: async () => [['report', `dirs=[${at('bc_20q', '0')}]`]],
  canary: async () => {
    const canary = { model: 'base', canary: 'better', share: 0.1, since: 0 };
    await mkdir(at('canary-record'), { recursive: true });
    await writeFile(at('canary-record', 'canary.json'), JSON.stringify(canary));
    return [['canary', `record=${at('canary-record')}`]];
  },
  figures: async () => [['figures', `dirs=[${at('bc_20q', '0')}]`, 'metric=losses/nll']],
  compare: async () => [['compare', `dirs=[${at('bc_20q', '0')},${at('bc_20q', '0')}]`]],
  wandb_sync: async () => [['wandb_sync', `dir=${await offlineRun()}`]],
  wandb_agent: async () => {
    wandb.sweeps.set('s', { variables: {}, commands: [{ type: 'exit' }] });
    return [['wandb_agent', 'sweep=e/p/s']];
  },
  finetune: async () => {
    const data = await talks();
    const tiny = [
      'finetune',
      `model=${at('chat-agent')}`,
      `data=${data}`,
      'epochs=1',
      'batch_size=2',
      'threads=1',
      'chat_template=chatml',
      'validation_share=0.25',
    ] as const;
    return [[...tiny], [...tiny, 'use_lora=true'], [...tiny, 'optimizer=sgd']];
  },
  start_model: async () => {
    const data = await talks();
    const tiny = ['width=8', 'layers=1', 'epochs=1', 'batch_size=2', 'threads=1', 'validation_share=0.25'];
    return [['start_model', `data=${data}`, ...tiny]];
  },
};

/** Writes the same prompt in every answer. */
let reflector: AnsweringServer;
let wandb: WandbServer;
const environment = { ...process.env };
beforeAll(async () => {
  wandb = await WandbServer.start();
  Object.assign(process.env, { WANDB_BASE_URL: wandb.url, WANDB_API_KEY: wandb.key });
  reflector = await answerChats(() => '```\na cat\n```');
});
afterAll(async () => {
  process.env = environment;
  await wandb.close();
  reflector.close();
});

/** Writes the agent with a tokenizer that llama.cpp can read, with the same number of tokens. */
async function byteLevelAgent(): Promise<string> {
  await cp(at('chat-agent'), at('byte-agent'), { recursive: true });
  const { vocab_size } = JSON.parse(await readFile(at('byte-agent', 'config.json'), 'utf8')) as { vocab_size: number };
  const vocab = Object.fromEntries(Array.from({ length: vocab_size }, (_, id) => [id === 0 ? 'a' : `t${id}`, id]));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, use_regex: true };
  const tokenizer = { pre_tokenizer: byteLevel, decoder: byteLevel, model: { type: 'BPE', vocab, merges: [] } };
  await writeFile(at('byte-agent', 'tokenizer.json'), JSON.stringify(tokenizer));
  await writeFile(at('byte-agent', 'tokenizer_config.json'), '{}');
  return at('byte-agent');
}

/** Copies a run of W&B's own client. */
async function offlineRun(): Promise<string> {
  const recorded = join(repository, 'packages/wandb/test/fixtures/offline-run.wandb');
  await cp(recorded, at('offline', 'run-k3v9q2xm.wandb'));
  return at('offline');
}

test('every task is run here', () => {
  expect(['train', ...Object.keys(tasks)].sort()).toEqual([...taskNames()].sort());
});

test.each(Object.keys(tasks))('task=%s reads every key that it declares', async (name) =>
  expectAllRead(await tasks[name]()),
);
