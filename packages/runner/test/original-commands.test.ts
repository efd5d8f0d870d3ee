// Tests the command lines of the original programs: ArCHer's keys in its README and configs, the scripts of AgentGym's tutorial
// on behaviour cloning and of its AgentEvol, and those of ArCHer's fork for mathematics. Each one composes, or is refused for an
// option that is not supported.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { parse } from './words.js';
import { run } from './command-line.js';
import { bowyer } from '../src/program.js';
import { composed, contextOf, expectValues, notesOf, refusal, unprepared } from './composed.js';

const folder = newFolder();
const at = (...names: string[]) => join(folder, ...names);
beforeAll(() => {
  for (const file of ['policy.pt', '20q_t5_oracle.pt', 'city_t5_oracle.pt', 'bc_model.pt']) writeFileSync(at(file), '');
  writeFileSync(
    at('mix.json'),
    JSON.stringify([{ item_id: 'alfworld_0', conversations: [{ from: 'gpt', loss: true, value: 'go' }] }]),
  );
  writeFileSync(at('items.json'), JSON.stringify([{ item_id: 'alfworld_3' }, { item_id: 'alfworld_5' }]));
  mkdirSync(at('llama'));
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) writeFileSync(at('llama', file), '{}');
});

/** Returns the words of a script, in which PATH is a folder of this test. */
const words = (text: string): string[] => parse(text.replaceAll('PATH', folder));

/** The 33 keys of ArCHer's default.yaml and archer_20q.yaml at 7c771a7. */
const KEYS = `cache_dir=PATH/cache huggingface_token=hf_secret wandb_key=secret policy_lm=gpt2 critic_lm=roberta-base
  agent_type=archer use_baseline=false use_lora=false max_new_tokens=32 save_freq=25 eval_freq=25 capacity=100000 rollout_size=128
  eval_size=32 batch_size=8 iterations=2000 epochs=50 actor_epochs=3 warmup_iter=20 grad_accum_steps=32 do_sample=true
  temperature=1.0 critic_lr=2e-5 lm_lr=1e-6 env_idx=null gamma=0.95 tau=0.1 max_grad_norm=1.0 use_wandb=true
  checkpoint_path=PATH/policy.pt save_path=PATH/run env_name=twenty_questions env_load_path=PATH/20q_t5_oracle.pt`;

test('there are 33 keys, and all of them together are a valid config', async () => {
  expect(words(KEYS)).toHaveLength(33);
  expect(await refusal('archer_20q', ...words(KEYS))).toBeNull();
  await expectValues(['archer_20q', ...words(KEYS)], {
    agent_type: 'archer',
    critic_lm: 'roberta-base',
    critic: { kind: 'transformer', max_length: 512 },
    policy_lm: 'gpt2',
    checkpoint_path: at('policy.pt'),
    cache_dir: at('cache'),
    logger: { wandb: {} },
    env: { name: 'twenty_questions', oracle: 't5' },
    iterations: 2000,
    warmup_iter: 20,
    actor_epochs: 3,
    lm_lr: 1e-6,
  });
  expect([process.env.HF_TOKEN, process.env.WANDB_API_KEY]).toEqual(['hf_secret', 'secret']);
  expect((await composed('archer_20q', ...words(KEYS))).yaml).not.toContain('secret');
});

test.each(KEYS.split(/\s+/))('%s alone', async (word) => {
  expect(await refusal('archer_20q', ...words(word))).toBeNull();
});

/** Keys of the fork's scripts. original-configs.test.ts has those of ArCHer's scripts/config. */
const CONFIGS: [name: string, text: string, expected: object][] = [
  // The fork's text quotes these keys of its bc_math.yaml.
  [
    'filteredbc_math',
    `agent_type=online_filteredbc policy_lm=meta-llama/Llama-3.2-3B-Instruct rollout_size=16 batch_size=2 iterations=250 actor_epochs=3
     grad_accum_steps=1 lm_lr=1e-6`,
    { agent_type: 'online_filteredbc', filter_quantile: 0.9, filter_min_return: null },
  ],
  [
    'archer_math',
    `policy_lm=meta-llama/Llama-3.2-3B-Instruct max_new_tokens=1 max_tokens=2 temperature=0.7 capacity=100000 rollout_size=128 eval_size=8
     batch_size=64 iterations=36 epochs=20 actor_epochs=3 warmup_iter=20 grad_accum_steps=1 critic_lr=2e-5 lm_lr=1e-6 gamma=0.95
     tau=0.1 max_grad_norm=1.0 save_freq=2 eval_freq=6 critic_lm=roberta-base`,
    { env: { max_attempts: 2 }, critic: { kind: 'transformer' } },
  ],
];

test.each(CONFIGS)('%s with the keys of its fork', async (name, text, expected) => {
  expect(await refusal(name, ...words(text))).toBeNull();
  const want = JSON.parse(JSON.stringify(expected).replaceAll('PATH', folder)) as object;
  await expectValues([name, ...words(text)], want);
});

/** Those of the 33 keys that the algorithm or environment of a config does not read, with the note for each. */
const WITHOUT_READER: [config: string, word: string, note: RegExp][] = [
  ['chai_20q', 'lm_lr=1e-6', /changes nothing here: CHAI trains no policy$/],
  ['chai_20q', 'actor_epochs=3', /changes nothing here: CHAI trains no policy$/],
  ['chai_20q', 'warmup_iter=20', /changes nothing here: CHAI trains no policy$/],
  ['chai_20q', 'use_baseline=false', /changes nothing here: ArCHer’s own code does not read it$/],
  ['chai_20q', 'do_sample=true', /changes nothing here: this algorithm always samples$/],
  ['chai_20q', 'max_grad_norm=0.5', /^max_grad_norm=0.5: critic_max_grad_norm=0.5$/],
  ['chai_20q', 'score_terminator=true', /changes nothing here: the warm start of CHAI always trains/],
  ['online_filteredbc_20q', 'critic_lm=roberta-base', /online_filteredbc has no critic$/],
  ['online_filteredbc_20q', 'critic_lr=2e-5', /online_filteredbc has no critic$/],
  ['online_filteredbc_20q', 'epochs=50', /online_filteredbc has no critic$/],
  ['online_filteredbc_20q', 'gamma=0.95', /online_filteredbc has no critic$/],
  ['online_filteredbc_20q', 'tau=0.1', /online_filteredbc has no critic$/],
  ['online_filteredbc_20q', 'use_baseline=false', /ArCHer’s own code does not read it$/],
  ['archer_detective', 'env_idx=3', /a story always begins in the same way$/],
  ['archer_webshop', 'env_idx=null', /every goal of the range is played$/],
];

test.each(WITHOUT_READER)('%s accepts and notes %s', async (name, word, note) => {
  expect(await refusal(name, word)).toBeNull();
  expect(await notesOf(name, word)).toEqual([expect.stringMatching(note)]);
});

test.each(['chai_20q', 'online_filteredbc_20q', 'archer_city', 'archer_detective'])(
  '%s with all 33 keys',
  async (name) => {
    const [agent, env, place] = {
      chai_20q: ['chai', 'twenty_questions', '20q_t5_oracle.pt'],
      online_filteredbc_20q: ['online_filteredbc', 'twenty_questions', '20q_t5_oracle.pt'],
      archer_city: ['archer', 'guess_my_city', 'city_t5_oracle.pt'],
      archer_detective: ['archer', 'adventure', 'detective.z5'],
    }[name]!;
    const all = words(KEYS.replace('agent_type=archer', `agent_type=${agent}`))
      .map((word) => word.replace('env_name=twenty_questions', `env_name=${env}`))
      .map((word) => word.replace('20q_t5_oracle.pt', place));
    expect(await refusal(name, ...all)).toBeNull();
    await expectValues([name, ...all], { agent_type: agent, env: { name: env } });
  },
);

test('a shop’s goal is chosen by its index, and keys without a counterpart are refused', async () => {
  const site = ['env.backend=site', 'env_load_path=http://127.0.0.1:3000'];
  await expectValues(['archer_webshop', ...site, 'env_idx=7'], { webshop_lower: 7, webshop_upper: 8 });
  expect(await refusal('archer_webshop', 'env_idx=7')).toMatch(/here: env.backend=site with the address of a shop/);
  expect(await refusal('chai_20q', 'do_sample=false', 'use_vllm=true')).toMatch(/^2 keys of other programs/);
});

test('a sweep over algorithms keeps a key that one of them reads', async () => {
  const compose = (overrides: readonly string[]) =>
    unprepared('chai_20q', ...overrides.filter((one) => !one.includes(',')));
  const swept = (...words: string[]) => bowyer([]).translate!(words, { ...contextOf('chai_20q'), compose });
  expect(await swept('algorithm=chai,archer', 'lm_lr=1e-4')).toEqual(['algorithm=chai,archer', 'lm_lr=1e-4']);
  expect(await swept('lm_lr=1e-4', 'max_grad_norm=1,2')).toEqual(['critic_max_grad_norm=1,2']);
});

/** The names of the environments in ArCHer's scripts/run.py, which ignores the case of agent types. */
const UNITS: [word: string, expected: object][] = [
  ['env_name=guess_my_city', { env: { name: 'guess_my_city' } }],
  ['env_name=adventure', { env: { name: 'adventure' } }],
  ['env_name=detective', { env: { name: 'adventure' } }],
  ['env_name=webshop', { env: { name: 'webshop' } }],
  ['env_name=twenty_questions_subset', { env: { name: 'twenty_questions', words: 'subset10' } }],
  ['agent_type=CHAI', { agent_type: 'chai' }],
  ['agent_type=Online_FilteredBC', { agent_type: 'online_filteredbc' }],
];

test.each(UNITS)('archer_20q %s', async (word, expected) => {
  expect(await refusal('archer_20q', word)).toBeNull();
  await expectValues(['archer_20q', word], expected);
});

test('an environment under both names, where they agree and where they do not', async () => {
  expect(await refusal('archer_20q', 'env=coin', 'env_name=coin')).toBeNull();
  expect(await refusal('archer_20q', 'env=coin', 'env_name=webshop')).toMatch(/^env_name is webshop, but the options/);
});

/**
 * The script train_behavioral_clone_multi_task.sh with its variables filled in. `accelerate launch` and its own arguments come
 * before these.
 */
const CLONE = `--train_file "PATH/mix.json" --model_train_path "PATH/llama" --model_save_path "PATH/outputs/clone/"
  --task_name "alfworld" --batch_size "2" --eval_batch_size "1" --n_epochs "1" --num_workers "8" --learning_rate "1e-5"
  --weight_decay "0" --warmup_step "-100" --clip_grad_norm "1" --evaluating_epoch_freq "100" --logging_epoch_freq "1"
  --saving_epoch_freq "1" --logging_step_freq "5" --seed "42" --max_input_length "4096" --max_round "30"
  --gradient_accumulation_steps "2" --wandb_log "True" --wandb_project "agentenv" --wandb_run_name "clone"
  --env_server_base "http://127.0.0.1:36002" --data_len "200" --timeout "2400"`;

/** Step 2 of the same script: distributed_eval_task.py. */
const EVALUATE = `--model_path "PATH/outputs/clone/train_epoch_1" --output_file "PATH/outputs/clone/eval_alfworld.jsonl"
  --inference_file "PATH/items.json" --task_name "alfworld" --eval_batch_size "1" --num_workers "8" --seed "42" --do_sample "False"
  --max_round "30" --env_server_base "http://127.0.0.1:36002" --data_len "200" --timeout "2400"`;

test('AgentGym’s script of behaviour cloning', async () => {
  expect(await refusal('bc_agentgym', ...words(CLONE))).toBeNull();
  await expectValues(['bc_agentgym', ...words(CLONE)], {
    policy_lm: at('llama'),
    save_path: at('outputs/clone/'),
    slots: 1,
    seed: 42,
    play_as_chat: true,
    epochs: 1,
    batch_size: 2,
    grad_accum_steps: 2,
    lm_lr: 1e-5,
    lm_schedule: { warmup_steps: -100 },
    max_grad_norm: 1,
    optimizer: { kind: 'adamw', weight_decay: 0 },
    max_input_length: 4096,
    eval_freq: 100,
    save_freq: 1,
    project_name: 'agentenv',
    run_name: 'clone',
    demonstrations: { path: at('mix.json') },
    env_server_base: 'http://127.0.0.1:36002',
    logger: { wandb: {} },
    env: { name: 'alfworld', backend: 'agentgym', step_limit: 30, timeout_ms: 2_400_000 },
  });
});

test('the second step of AgentGym’s script plays the model of its first, in all environments of its data', async () => {
  const run = at('outputs/twice');
  mkdirSync(join(run, 'checkpoints/best'), { recursive: true });
  writeFileSync(join(run, 'checkpoints/best/config.json'), '{}');
  writeFileSync(
    at('turns.json'),
    '[{"conversations": [{"from": "human", "value": "go"}, {"from": "gpt", "value": "north", "loss": true}]}]',
  );
  const record = {
    agentType: 'bc',
    epochs: 2,
    env: { name: 'alfworld', stepLimit: 30 },
    context: { kind: 'auto' },
    memory: { kind: 'none' },
    demonstrations: { path: at('turns.json') },
    playAsChat: true,
    chatTemplate: 'chatml',
    maxNewTokens: 77,
  };
  writeFileSync(join(run, 'run-config.json'), JSON.stringify(record));
  const step = (task: string, model: string) =>
    words(
      EVALUATE.replace('PATH/outputs/clone/train_epoch_1', model).replace(
        'alfworld" --eval_batch',
        `${task}" --eval_batch`,
      ),
    );
  for (const task of ['webshop', 'alfworld', 'textcraft', 'sciworld']) {
    const typed = step(task, 'PATH/outputs/twice//train_epoch_2');
    expect(await refusal('eval_agentgym', ...typed)).toBeNull();
    await expectValues(['eval_agentgym', ...typed], {
      checkpoint_path: run,
      play_as_chat: true,
      chat_template: 'chatml',
      max_new_tokens: 77,
      env: { name: task, backend: 'agentgym' },
    });
  }
  expect(await notesOf('eval_agentgym', ...step('webshop', 'PATH/outputs/twice/train_epoch_2'))).toContain(
    `model_path=${run}/train_epoch_2: checkpoint_path=${run}; the best agent of the run, which has 2 epochs`,
  );
  expect(await refusal('eval_agentgym', ...step('webshop', 'PATH/outputs/twice/train_epoch_1'))).toContain(
    `here: policy.checkpoint=${run}, its best agent: the run has 2 epochs, and no model of each of them is kept`,
  );
  // The data may be missing; an agent that learned from episodes remains in its environment.
  rmSync(at('turns.json'));
  expect(await refusal('eval_agentgym', ...step('webshop', 'PATH/outputs/twice'))).toBeNull();
  writeFileSync(join(run, 'run-config.json'), JSON.stringify({ ...record, demonstrations: { path: null } }));
  expect(await refusal('eval_agentgym', ...step('webshop', 'PATH/outputs/twice'))).toMatch(
    /was trained in alfworld, and would be played in webshop/,
  );
});

test('the counterpart of each argument is noted once', async () => {
  const notes = await notesOf('bc_agentgym', ...words(CLONE));
  expect(notes).toHaveLength(23); // four of the 26 keys exist here too, and the backend follows from others
  expect(notes).toEqual(
    expect.arrayContaining([
      'n_epochs=1: epochs=1',
      'logging_step_freq=5: logging_steps=5',
      'num_workers=8: changes nothing here: data are loaded in the process itself',
      'data_len=200: changes nothing here: AgentGym’s own code does not read it either',
      'timeout=2400: env.timeout_ms=2400000',
      'env.backend=agentgym, since env.base_url=http://127.0.0.1:36002',
    ]),
  );
});

test('the same in overrides, and in a sweep', async () => {
  const overrides = words(CLONE.replace(/--(\w+)\s+("[^"]*")/g, '$1=$2'));
  expect((await composed('bc_agentgym', ...overrides)).yaml).toBe(
    (await composed('bc_agentgym', ...words(CLONE))).yaml,
  );
  const swept = await bowyer([]).translate!(['learning_rate=1e-5,1e-4', 'n_epochs=1,2'], contextOf('bc_20q'));
  expect(swept).toEqual(['lm_lr=1e-5,1e-4', 'epochs=1,2']);
});

test('AgentGym’s script of evaluation, of an agent and of an endpoint', async () => {
  mkdirSync(at('outputs/clone/train_epoch_1'), { recursive: true });
  writeFileSync(at('outputs/clone/train_epoch_1/config.json'), '{}');
  expect(await refusal('eval_agentgym', ...words(EVALUATE))).toBeNull();
  await expectValues(['eval_agentgym', ...words(EVALUATE)], {
    checkpoint_path: at('outputs/clone/train_epoch_1'),
    save_path: at('outputs/clone/eval_alfworld'),
    item_list: at('items.json'),
    data_len: 200,
    slots: 1,
    seed: 42,
    eval_decoding: 'greedy',
    env: { name: 'alfworld', backend: 'agentgym', step_limit: 30, timeout_ms: 2_400_000 },
  });
  const endpoint = `--api_key sk-secret --base_url http://127.0.0.1:1/v1 --model gpt-4 --max_tokens 4096 --temperature 1 --top_p 1
    --inference_file PATH/items.json --output_dir PATH/api --task_name alfworld --max_round 30 --processes 20`;
  expect(await refusal('eval_agentgym', ...words(endpoint))).toBeNull();
  const { policy } = (await composed('eval_agentgym', ...words(endpoint))).resolve() as {
    policy: { endpoint: object };
  };
  expect(policy.endpoint).toMatchObject({
    base_url: 'http://127.0.0.1:1/v1',
    model: 'gpt-4',
    api_key_env: 'OPENAI_API_KEY',
    max_tokens: 4096,
    temperature: 1,
    top_p: 1,
    concurrency: 20,
  });
  expect(process.env.OPENAI_API_KEY).toBe('sk-secret');
});

/** AgentGym's names of its tasks. */
const TASKS = `webshop alfworld babyai sciworld textcraft webarena sqlgym maze wordle weather todo movie sheet academia searchqa
  lmrlgym_maze lmrlgym_wordle`;

test.each(TASKS.split(/\s+/))('AgentGym’s evaluation of %s', async (task) => {
  const model = EVALUATE.replace('PATH/outputs/clone/train_epoch_1', 'PATH/llama').replace('"alfworld"', `"${task}"`);
  expect(await refusal('eval_agentgym', ...words(model))).toBeNull();
});

test('a key of version 0.2 that changed the speed alone', async () => {
  expect(await notesOf('generate', 'draft_tokens=4')).toEqual([
    expect.stringMatching(/changes nothing here: tokens are/),
  ]);
  expect(await refusal('archer_20q', 'draft_tokens=4')).toMatch(/here: only task=generate had it/);
});

test('AgentEvol’s arguments', async () => {
  const text = `--train_file PATH/mix.json --model_train_path PATH/llama --task_name alfworld --batch_size 2 --n_epochs 1
    --gradient_accumulation_steps 2 --learning_rate 1e-5 --warmup_step -100 --iter_num 4 --sample_num 3 --iter_data_path PATH/data
    --evaluating_step_freq 100 --add_original_data True --max_round 30`;
  expect(await refusal('evolve_agentgym', ...words(text))).toBeNull();
  await expectValues(['evolve_agentgym', ...words(text)], {
    iterations: 4,
    sample_num: 3,
    rollout_size: 258,
    epochs: 1,
    batch_size: 2,
    grad_accum_steps: 2,
    lm_lr: 1e-5,
    agent_type: 'agent_evol',
    env: { name: 'alfworld', step_limit: 30 },
  });
});

test('evaluate_bc.py of the fork for mathematics', async () => {
  const text =
    '--model_path PATH/bc_model.pt --model_name PATH/llama --num_problems 10 --output_file PATH/out.json --temperature 0.7 --max_tokens 100';
  await expectValues(['bc_math', 'task=evaluate', ...words(text)], {
    checkpoint_path: at('bc_model.pt'),
    policy_lm: at('llama'),
    test_size: 10,
    save_path: at('out'),
    temperature: 0.7,
    max_new_tokens: 100,
  });
});

test('arguments without a counterpart are refused at once', async () => {
  expect(
    await refusal('bc_agentgym', 'use_vllm=True', 'expert=a.json', 'n_epochs=3', 'reward_gap=0.01', 'epochs=4'),
  ).toBe(
    `4 keys of other programs that this run (task=train algorithm=bc) cannot take
  use_vllm=True: policy=openai policy.endpoint.base_url=ADDRESS of a server
  expert=a.json: demonstrations.path=FILE with algorithm=offline_dpo: one file of both
  n_epochs=3: it is epochs=3, and epochs=4 is given too: leave one out
  reward_gap=0.01: in each pair of episodes of a task the one with the higher return is preferred, however small the difference`,
  );
});

test('a key of Bowyer with the same name is not changed', async () => {
  expect(await refusal('serve_model', 'model=gpt2')).toBeNull();
  expect(await notesOf('serve_model', 'model=gpt2')).toEqual([]);
  expect(await refusal('finetune', 'model=gpt2', `data=${at('mix.json')}`)).toBeNull();
});

/** Keys that the run does not have. */
const UNKNOWN: [string, string | RegExp][] = [
  [
    'archer_20q lr=3',
    "Could not override 'lr': no such key\n  in the command line\n  in this run it is algorithm.actor.lr or algorithm.critic.lr or algorithm.actor.baseline.lr",
  ],
  ['chai_20q learning_rate=3', /'learning_rate' is a key of AgentGym's scripts that this run .* cannot take/],
  [
    'archer_20q lr=1 tmeperature=2',
    /^2 keys of the command line are not read by this run\n {2}Could not override 'lr'.*\n {4}in this run it is algorithm.*\n {2}\n {2}Could not override 'tmeperature': no such key\n {4}did you mean 'sampling\.temperature'\?/,
  ],
  ['archer_20q logger.wandb.mode=offline', /it belongs to a logger: add logger=wandb$/],
];

test.each(UNKNOWN)('%s', async (text, expected) => {
  const [name, ...rest] = words(text);
  const said = await refusal(name, ...rest);
  if (typeof expected === 'string') expect(said).toBe(expected);
  else expect(said).toMatch(expected);
});

/** Names of configs that users may guess. */
const GUESSES: [string, string][] = [
  ['ppo_20q', 'archer_20q algorithm=ppo'],
  ['chai_city', 'archer_city algorithm=chai'],
  ['bc_detective', 'archer_detective algorithm=bc'],
  ['filteredbc_20q', 'archer_20q algorithm=online_filteredbc'],
  ['grpo_alfworld', 'bc_alfworld algorithm=grpo'],
  ['ppo_maze', 'archer_20q algorithm=ppo env=maze'],
];

test.each(GUESSES)('--config-name %s: --config-name %s', async (guess, instead) => {
  const said = await refusal(guess);
  expect(said).toMatch(`Cannot find primary config '${guess}'\n  write --config-name ${instead}\n`);
  const [name, ...overrides] = instead.split(' ');
  expect(await refusal(name, ...overrides)).toBeNull();
});

test('a preset’s warm-up is shortened with the run, a typed one is refused', async () => {
  expect((await composed('archer_20q', 'algorithm=ppo', 'iterations=2')).setting('warmup_iter')).toBe(0);
  expect((await composed('archer_20q', 'iterations=8')).setting('warmup_iter')).toBe(1); // 25 iterations of 200
  expect((await composed('archer_20q', 'iterations=100')).setting('warmup_iter')).toBe(25);
  expect(await refusal('archer_20q', 'iterations=8', 'warmup_iter=8')).toMatch(
    /^algorithm\.actor\.warmup_iterations=8 leaves no iteration of 8/,
  );
});

test('a primary config’s value for another algorithm gives way to the algorithm’s own', async () => {
  const config = await composed('bc_textcraft_react', 'algorithm=grpo');
  expect(await refusal('bc_textcraft_react', 'algorithm=grpo')).toBeNull();
  expect(['eval_freq', 'eval_size'].map((key) => config.setting(key))).toEqual([5, 60]);
  expect(await refusal('bc_textcraft_react', 'algorithm=grpo', 'eval_freq=0.5')).toMatch(
    /'algorithm\.eval\.freq' must be an integer/,
  );
});

test('use_wandb=true beside the logger’s options is logger=wandb', async () => {
  const logger = async (...overrides: string[]) => (await composed('archer_20q', ...overrides)).resolve().logger;
  const chosen = await logger('logger=wandb', 'logger.wandb.mode=offline');
  expect(await logger('use_wandb=true', 'logger.wandb.mode=offline')).toEqual(chosen);
  expect(await logger('wandb_log=True', 'logger.wandb.mode=offline', 'wandb_key=secret')).toEqual(chosen);
  expect(Object.keys((await logger('use_wandb=true', 'logger=csv', 'logger.wandb.mode=offline')) as object)).toEqual([
    'csv',
    'wandb',
  ]);
});

test('an address is that of the backend which is played there; a chat template is played through', async () => {
  const backend = async (...overrides: string[]) => (await composed('archer_20q', ...overrides)).setting('env.backend');
  expect(await backend('env=textcraft', 'env_server_base=http://127.0.0.1:1')).toBe('agentgym');
  expect(await backend('env=textcraft', 'env.base_url=http://127.0.0.1:1')).toBe('agentgym');
  expect(await backend('env=webshop', 'env_load_path=http://127.0.0.1:3000')).toBe('site');
  expect(
    await refusal('archer_20q', 'env=textcraft', 'env.backend=embedded', 'env_server_base=http://127.0.0.1:1'),
  ).toMatch(/reads it only with/);
  expect((await composed('archer_20q', 'chat_template=chatml')).setting('play_as_chat')).toBe(true);
  expect((await composed('archer_20q', 'chat_template=chatml', 'play_as_chat=true')).setting('play_as_chat')).toBe(
    true,
  );
});

test('an address of an environment in a mixture is that of its backend too', async () => {
  const list = 'env.envs=[maze,{name:textcraft,base_url:"http://127.0.0.1:1"},{name:textcraft,backend:embedded}]';
  const config = (await composed('archer_20q', 'env=mixture', list)).resolve();
  expect(config.env).toEqual({
    name: 'mixture',
    envs: [
      'maze',
      { name: 'textcraft', base_url: 'http://127.0.0.1:1', backend: 'agentgym' },
      { name: 'textcraft', backend: 'embedded' },
    ],
  });
  expect(await notesOf('archer_20q', 'env=mixture', list)).toEqual([
    expect.stringMatching(
      /^env.envs=.*, since env.envs\[1\].base_url=http:\/\/127.0.0.1:1 is played with backend=agentgym$/,
    ),
  ]);
  expect(
    await refusal(
      'archer_20q',
      'env=mixture',
      'env.envs=[{name:textcraft,backend:embedded,base_url:"http://127.0.0.1:1"}]',
    ),
  ).toMatch(/base_url/);
});

test('a sweep over algorithms refuses an option that one of them does not have', async () => {
  const sweep = (...overrides: string[]) => run(['-m', '--config-name', 'archer_20q', '--dry-run', ...overrides]);
  const { code, stderr } = await sweep('algorithm=archer,bc', 'iterations=4');
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("'iterations'") });
}, 180_000);
