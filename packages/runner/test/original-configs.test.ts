// Tests the config files of ArCHer (scripts/config/*.yaml at 7c771a7) with every key: each is accepted, or refused with a message
// that names it. PATH replaces the paths of the authors' machines.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compose, type Composition } from '@bowyer/config';
import { newFolder } from '@bowyer/testing';
import { bowyer } from '../src/program.js';
import { ConfigNotes } from '../src/config/config-notes.js';
import { validateConfig } from '../src/config/validate-config.js';
import { repository } from './command-line.js';
import { composed, expectValues, refusal, valuesOf } from './composed.js';

const { flatNames } = bowyer([]);

/** The keys of every file, with their defaults here. */
const defaults = {
  cache_dir: 'PATH',
  huggingface_token: "''",
  wandb_key: "''",
  policy_lm: 'gpt2',
  critic_lm: 'roberta-base',
  agent_type: 'archer',
  use_baseline: 'false',
  use_lora: 'false',
  max_new_tokens: '32',
  save_freq: '25',
  eval_freq: '25',
  capacity: '100000',
  rollout_size: '128',
  eval_size: '32',
  batch_size: '8',
  iterations: '2000',
  epochs: '50',
  actor_epochs: '3',
  warmup_iter: '20',
  grad_accum_steps: '32',
  do_sample: 'true',
  temperature: '1.0',
  critic_lr: '1e-5',
  lm_lr: '1e-5',
  env_idx: 'null',
  gamma: '0.95',
  tau: '0.1',
  max_grad_norm: '1.0',
  use_wandb: 'false',
};

const paths = { checkpoint_path: 'PATH.pt', save_path: 'PATH', env_load_path: 'PATH.pt' };
const run = { project_name: 'llm_rl_20q', run_name: 'archer-acc' };
const sizes = {
  rollout_size: '128',
  batch_size: '8',
  iterations: '2000',
  epochs: '50',
  actor_epochs: '3',
  grad_accum_steps: '32',
  critic_lr: '2e-5',
};

/** For each file, its own keys and the resulting values of the run. */
const originals: Record<string, { expected: object; keys: Record<string, string> }> = {
  archer_20q: {
    expected: { env: { name: 'twenty_questions', oracle: 't5' } },
    keys: {
      ...paths,
      ...sizes,
      ...run,
      warmup_iter: '20',
      lm_lr: '1e-6',
      env_name: 'twenty_questions',
      use_wandb: 'true',
    },
  },
  archer_city: {
    expected: { env: { name: 'guess_my_city', oracle: 't5' }, policy_lm: 'gpt2' },
    keys: {
      ...paths,
      ...sizes,
      ...run,
      project_name: 'llm_rl_city',
      warmup_iter: '10',
      lm_lr: '1e-5',
      env_name: 'guess_my_city',
    },
  },
  archer_detective: {
    expected: { env: { name: 'adventure' } },
    keys: {
      ...paths,
      ...sizes,
      ...run,
      env_load_path: 'detective.z5',
      warmup_iter: '10',
      lm_lr: '1e-5',
      env_name: 'adventure',
    },
  },
  archer_webshop: {
    expected: {
      env: { name: 'webshop', backend: 'site' },
      checkpoint_path: null,
      webshop_lower: 2000,
      webshop_upper: 2100,
    },
    keys: {
      ...sizes,
      ...run,
      checkpoint_path: "''",
      save_path: 'PATH',
      env_load_path: 'http://127.0.0.1:3000',
      rollout_size: '512',
      warmup_iter: '20',
      lm_lr: '1e-5',
      env_name: 'webshop',
      webshop_lower: '2000',
      webshop_upper: '2100',
    },
  },
  archer_llm_20q: {
    expected: { use_lora: true, env: { name: 'twenty_questions', oracle: 't5' } },
    keys: {
      agent_type: 'archer_llm',
      policy_lm: 'mistralai/Mistral-7B-Instruct-v0.2',
      use_lora: 'true',
      max_new_tokens: '64',
      eos_str: 'null',
      capacity: '100000',
      rollout_size: '32',
      eval_size: '32',
      batch_size: '4',
      iterations: '2000',
      epochs: '20',
      actor_epochs: '1',
      warmup_iter: '20',
      grad_accum_steps: '64',
      do_sample: 'true',
      temperature: '1.0',
      critic_lr: '1e-5',
      lm_lr: '2e-6',
      env_idx: 'null',
      gamma: '0.95',
      tau: '0.1',
      max_grad_norm: '1.0',
      use_wandb: 'true',
      checkpoint_path: 'null',
      save_path: 'PATH',
      env_name: 'twenty_questions',
      env_load_path: 'PATH.pt',
      project_name: 'llm_rl_20qsubset',
      run_name: 'archer-acc-llm-1e-6',
    },
  },
  chai_20q: {
    expected: { env: { name: 'twenty_questions', oracle: 't5' } },
    keys: { ...paths, ...run, agent_type: 'chai', env_name: 'twenty_questions' },
  },
  online_filteredbc_20q: {
    expected: { env: { name: 'twenty_questions', oracle: 't5' } },
    keys: { ...paths, ...run, agent_type: 'online_filteredbc', env_name: 'twenty_questions' },
  },
};

const folder = newFolder();

/** The files themselves, with the original's defaults list. */
test.each(Object.keys(originals))(
  '%s with `defaults: [default, _self_]` works as given, and on the command line',
  async (name) => {
    const { expected, keys } = originals[name];
    for (const file of ['policy.pt', 'oracle.pt']) writeFileSync(join(folder, file), '');
    const own = Object.entries(keys).map(([key, value]) => [key, originalValue(key, value)] as const);
    const lines = own.map(([key, value]) => `${key}: ${value}`);
    writeFileSync(join(folder, 'given.yaml'), ['defaults:', '  - default', '  - _self_', ...lines].join('\n'));
    const notes = new ConfigNotes();
    // The shop's file gives no policy, and a web site has no demonstrations from which one could be made.
    const typed = name === 'archer_webshop' ? ['policy_lm=gpt2'] : [];
    const composition = await preparedFile('given', notes, ...typed);
    await validateConfig(composition);
    const agent = { agent_type: keys.agent_type ?? 'archer' };
    expect(valuesOf(composition, { ...agent, ...expected })).toMatchObject({ ...agent, ...expected });
    expect(notes.of(composition)[0]).toBe(
      `algorithm=${agent.agent_type} for given.yaml, since ${keys.agent_type ? `agent_type=${keys.agent_type}` : 'neither the defaults list nor agent_type names another'}`,
    );
    const words = [...typed, ...own.map(([key, value]) => `${key}=${value}`)] as const;
    expect(await refusal(name, ...words)).toBeNull();
    await expectValues([name, ...words], { ...agent, ...expected });
  },
);

test('a file of the original with upper case, with another algorithm of the command line, and with one that lists its own', async () => {
  const file = (...lines: string[]) => writeFileSync(join(folder, 'given.yaml'), lines.join('\n'));
  file('defaults: [default, _self_]', 'agent_type: CHAI', 'lm_lr: 1e-5', 'max_grad_norm: 0.5', 'critic_lr: 3e-5');
  const notes = new ConfigNotes();
  const composition = await preparedFile('given', notes);
  const expected = { agent_type: 'chai', critic_max_grad_norm: 0.5, critic_lr: 3e-5 };
  expect(valuesOf(composition, expected)).toEqual(expected);
  expect(notes.of(composition)).toContain(
    '~lm_lr, since lm_lr=0.00001 is in a file and changes nothing here: CHAI trains no policy',
  );
  file('defaults: [default, _self_]', 'iterations: 30', 'warmup_iter: 3');
  const ppo = { agent_type: 'ppo', iterations: 30 };
  expect(valuesOf(await preparedFile('given', notes, 'algorithm=ppo'), ppo)).toEqual(ppo);
  file('defaults: [default, algorithm: chai, _self_]', 'iterations: 30');
  expect((await preparedFile('given', notes)).choices.algorithm).toBe('chai');
  file('defaults: [default, algorithm: grpo, _self_]', 'epochs: 3');
  await expect(async () => validateConfig(await preparedFile('given', notes))).rejects.toThrow(
    /'epochs' is a key of ArCHer .*\n.*given\.yaml:2\n {2}write one of: algorithm\.actor\.epochs/,
  );
  file('defaults: [default, _self_]', 'agent_type: sarsa');
  await expect(async () => validateConfig(await preparedFile('given', notes))).rejects.toThrow(
    /Unknown config key 'agent_type'/,
  );
});

/** Returns a value of a file; paths are replaced by files that exist. */
const originalValue = (key: string, value: string): string =>
  value
    .replace('PATH.pt', join(folder, key === 'checkpoint_path' ? 'policy.pt' : 'oracle.pt'))
    .replace('PATH', join(folder, 'none'));

/** Composes and prepares a file of the folder as the command line does. */
async function preparedFile(configName: string, notes: ConfigNotes, ...typed: string[]): Promise<Composition> {
  const program = bowyer(typed, null, notes);
  const { impliedDefaults } = program;
  const configDirs = [{ dir: join(repository, 'configs') }, { dir: folder }];
  const composition = compose({ configDirs, configName, overrides: typed, impliedDefaults, flatNames });
  const overrides = composition.overrides.map(({ key, value, text }) => ({
    kind: 'change' as const,
    key,
    isGroup: composition.repository.groupExists(key),
    value: String(value),
    text,
  }));
  return program.prepare!(composition, { purpose: 'run', overrides, cwd: repository });
}

test('arguments of AgentGym’s BCTrainer in a file are what they are on the command line', async () => {
  writeFileSync(join(folder, 'talks.json'), '[{"conversations": [{"from": "gpt", "loss": true, "value": "go"}]}]');
  const given = {
    train_file: join(folder, 'talks.json'),
    task_name: 'textcraft',
    env_server_base: 'http://127.0.0.1:1',
    model_train_path: 'gpt2',
    model_save_path: join(folder, 'none'),
    n_epochs: 1,
    learning_rate: 1e-5,
    num_workers: 8,
    clip_grad_norm: 0.5,
    gradient_accumulation_steps: 2,
    timeout: 2400,
  };
  const lines = Object.entries(given).map(([key, value]) => `${key}: ${value}`);
  writeFileSync(join(folder, 'given.yaml'), ['defaults: [default, algorithm: bc, _self_]', ...lines].join('\n'));
  const composition = await preparedFile('given', new ConfigNotes());
  await validateConfig(composition);
  const expected = {
    lm_lr: 1e-5,
    epochs: 1,
    max_grad_norm: 0.5,
    grad_accum_steps: 2,
    env: { name: 'textcraft', backend: 'agentgym', timeout_ms: 2_400_000 },
  };
  expect(valuesOf(composition, expected)).toMatchObject(expected);
});

/** Settings that ArCHer's code always has, in addition to its keys. */
const habits: Record<string, unknown> = {
  top_k: 50,
  clip_scope: 'all',
  grad_reduction: 'sum',
  v_target_action: 'policy',
  v_target_samples: 1,
  td_target: 'own',
  td_steps: 1,
  actor_samples: 'replay',
  bootstrap_on_limit: false,
  importance_clip: null,
  kl_coefficient: 0,
  score_terminator: false,
  'lm_schedule.final_share': 1,
  filter_quantile: 0.9,
  filter_window: null,
};

/** The complete lists of words; if a prompt lists its words, the game has only these. */
const lists: Record<string, object> = {
  archer_city: { cities: 'archer91' },
  archer_llm_20q: { words: 'subset10', format: 'json_prompt' },
  ...Object.fromEntries(['archer_20q', 'chai_20q', 'online_filteredbc_20q'].map((name) => [name, { words: 'full' }])),
};

test.each(Object.keys(originals))('%s preset=paper has the values of its file', async (name) => {
  const { keys } = originals[name];
  const values = Object.entries(without({ ...defaults, ...keys }, notNumbers));
  const theirs: Record<string, unknown> = {
    ...Object.fromEntries(values.map(([key, value]) => [key, valueOf(value)])),
    ...habits,
  };
  const ours = await composed(name, 'preset=paper');
  const read = Object.entries(theirs).filter(([key]) => ours.setting(key) !== undefined);
  expect(read.length).toBeGreaterThan(20);
  expect(valuesOf(ours, Object.fromEntries(read))).toEqual(Object.fromEntries(read));
  expect(ours.setting('env')).toMatchObject(lists[name] ?? {});
});

/** Keys for paths and names of runs, and `agent_type`, which is the group `algorithm` here. */
const notNumbers = [
  'agent_type',
  'cache_dir',
  'env_load_path',
  'env_name',
  'huggingface_token',
  'project_name',
  'run_name',
  'save_path',
  'use_wandb',
  'wandb_key',
  'checkpoint_path',
  'webshop_lower',
  'webshop_upper',
];

/** Reads a YAML text: a number, a truth value, null or a name. */
function valueOf(text: string): unknown {
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}

const without = (all: Record<string, string>, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(all).filter(([key]) => !keys.includes(key)));
