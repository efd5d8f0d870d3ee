// Tests that settings that would be ignored or would waste a run are refused before anything starts, with their place and a
// remedy.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { algorithmNames, findAlgorithm } from '@bowyer/algorithms';
import { newFolder } from '@bowyer/testing';
import { composed, refusal } from './composed.js';

/** Algorithms that accept rollouts of another policy. */
const takesOthers = algorithmNames()
  .filter((name) => findAlgorithm(name)!.offPolicyRollouts !== undefined)
  .sort();

const directory = newFolder();
beforeAll(() => {
  mkdirSync(join(directory, 'photos'));
  writeFileSync(join(directory, 'photos', 'cat.jpg'), '');
  for (const [name, agentType] of [
    ['coin', 'archer'],
    ['chosen', 'chai'],
  ])
    agent(name, agentType);
});

/** Writes the part of a run's folder that is read before the start. */
function agent(name: string, agentType: string): void {
  const best = join(directory, name, 'checkpoints', 'best');
  mkdirSync(best, { recursive: true });
  writeFileSync(join(best, 'config.json'), '{}');
  const env = { name: agentType === 'chai' ? 'twenty_questions' : 'coin' };
  writeFileSync(join(directory, name, 'run-config.json'), JSON.stringify({ agentType, env }));
}

const noEffect = (setting: string, typed = setting) =>
  `A key would be ignored\n  ${setting} has no effect: this run does not read it\n    in command line: ${typed}\n`;

/** Words of the command line with the expected message: complete, or as a pattern. */
const ignored: [string, string | RegExp][] = [
  ['grpo_20q remote_policy.model=x', /^remote_policy\.model=x: no server is named/],
  [
    'bc_20q warm_start.batch_size=2',
    noEffect('warm_start.batch_size=2') + '    bc has no warm start: it trains with its own options (--help algorithm)',
  ],
  [
    'archer_20q task=evaluate policy=openai max_new_tokens=9',
    noEffect('sampling.max_new_tokens=9', 'max_new_tokens=9') +
      '    an endpoint plays: write policy.endpoint.max_tokens=N',
  ],
  ['archer_20q task=evaluate policy=openai batch_size=2', /Unknown config key 'algorithm'/],
  [
    'archer_webshop env.backend=embedded env_load_path=http://127.0.0.1:3000',
    'env.base_url: webshop reads it only with env.backend=site or env.backend=agentgym; env.backend is embedded\n' +
      '  in command line: env_load_path=http://127.0.0.1:3000\n' +
      '  write env.backend=site, or leave env.base_url out',
  ],
  [
    'grpo_20q epochs=3',
    /^'epochs' is the name of no option here\n.*: epochs=3\n {2}write one of: algorithm\.actor\.epochs/,
  ],
  [
    'grpo_20q lm_lr=1e-4 algorithm.actor.lr=1e-5',
    /^'algorithm\.actor\.lr' is given twice, under two names\n(?: {2}by lm_lr=1e-4\n| {2}by algorithm\.actor\.lr=1e-5\n){2}/,
  ],
  ['archer_20q env=coin env_idx=3', /^Could not override 'env_idx': no such key/],
  [
    'archer_20q policy_lm=gpt2 policy.n_layer=3',
    noEffect('policy.n_layer=3') +
      '    policy.model or policy.checkpoint names the model to start from: leave it out to make a start here',
  ],
  [
    'archer_20q policy_lm=gpt2 warm_start.epochs=3',
    noEffect('warm_start.epochs=3') +
      '    policy.model or policy.checkpoint names the model to start from: leave it out to make a start here',
  ],
  [
    'archer_20q rollout.max_staleness=3',
    noEffect('rollout.max_staleness=3') + '    choose rollout.mode=lock_step or rollout.mode=asynchronous',
  ],
  ['chai_20q rollout.mode=lock_step', /^rollout\.mode=lock_step: chai learns from the episodes of its newest policy/],
  [
    'archer_20q rollout.mode=asynchronous',
    /^algorithm\.replay\.importance_clip=null: utterances of another policy, or of an earlier one,/,
  ],
  [
    'grpo_20q rollout.mode=asynchronous horizon=[[0,2]]',
    /^algorithm\.rollout\.horizon=\[\[0,2\]\] with rollout\.mode=asynchronous: episodes belong to no iteration when they begin/,
  ],
  [
    'chai_20q sampling_precision=integers',
    'sampling.precision=integers: chai does not correct for rollouts of another policy than the one that it trains\n' +
      '  in command line: sampling_precision=integers\n' +
      `  write sampling.precision=float32, or choose ${takesOthers.join(', ')}`,
  ],
  [
    'grpo_20q sampling_precision=integers old_logprobs=recomputed',
    /^algorithm\.loss\.old_logprobs=recomputed: the ratio would be to/,
  ],
  [
    'grpo_20q sampling_precision=integers device=webgpu',
    /^device\.kind=webgpu with sampling\.precision=integers: only the CPU multiplies matrices of integers here/,
  ],
  ['archer_20q lora.r=3', noEffect('lora.r=3') + '    write lora.enabled=true to train adapters'],
  [
    'archer_20q optimizer=sgd optimizer.eps=1',
    "'optimizer.eps' is not read by this run\n  in the command line\n  choose optimizer=adam, adamw, muon or adamw_8bit",
  ],
  [
    'archer_20q critic=transformer critic_lm=roberta-base critic.width=3',
    noEffect('critic.width=3') + '    critic.model has its own sizes',
  ],
  [
    'archer_20q policy=openai',
    /^A key would be ignored\n {2}policy\.endpoint has no effect: this run does not read it\n {4}in .*configs\/policy\/openai\.yaml:\d+\n {4}an endpoint plays in task=evaluate and cannot be trained: choose policy=tiny, or give policy\.model=FOLDER$/,
  ],
];

/** Keys that the composed config does not have. */
const ofOriginals: [string, string | RegExp][] = [
  [
    'chai_20q learning_rate=3',
    "'learning_rate' is a key of AgentGym's scripts that this run (task=train algorithm=chai) cannot take\n" +
      '  in command line: learning_rate=3\n  here: it is lm_lr, which this run does not read',
  ],
  ['archer_20q port=3', /^Could not override 'port': no such key/],
];

const wasteful: [string, string | RegExp][] = [
  [
    'archer_20q reference_quantization=4bit',
    'algorithm.reference.quantization=4bit: with algorithm.kl.coefficient=0 there is no reference policy\n' +
      '  in command line: reference_quantization=4bit\n  write algorithm.reference.quantization=none, or give algorithm.kl.coefficient',
  ],
  [
    'archer_20q algorithm=ppo device=webgpu precision=float16',
    'device.precision=float16: the value head of ppo computes in float32 alone\n' +
      '  in command line: precision=float16\n  write device.precision=float32, or choose an algorithm without a value head, such as grpo',
  ],
  [
    'archer_20q use_lora=true lora.integer_products=true',
    'lora.integer_products=true: it needs quantized weights, and policy.quantization=none keeps the base in float32\n' +
      '  in command line: lora.integer_products=true\n' +
      '  write policy.quantization=8bit or policy.quantization=4bit, or lora.integer_products=false',
  ],
  [
    'archer_20q use_lora=true lora.integer_products=true quantization=8bit device=webgpu',
    /lora\.integer_products=true: device.kind=webgpu cannot multiply matrices of integers/,
  ],
  ...['archer_20q', 'online_filteredbc_20q'].map((name): [string, string] => [
    `${name} warmup_iter=200`,
    'algorithm.actor.warmup_iterations=200 leaves no iteration of 200 in which the policy trains\n' +
      '  in command line: warmup_iter=200\n  lower algorithm.actor.warmup_iterations or raise algorithm.iterations',
  ]),
  [
    'archer_20q actor_epochs=65',
    'algorithm.actor.steps=65 is more than the 64 episodes of a rollout, so some policy steps would have no data\n' +
      '  in command line: actor_epochs=65\n  lower algorithm.actor.steps, raise algorithm.rollout.size, or give algorithm.actor.samples=replay',
  ],
  [
    'bc_babyai algorithm=dagger labels=all',
    'algorithm.expert.labels=all: the text of each turn continues the text before it, in which the label would take the place of the action that was played\n' +
      '  in command line: labels=all\n  write algorithm.expert.labels=played; or context=last or context=window',
  ],
  ['bc_textcraft algorithm=dagger env.observation=history labels=all', /with observations of single turns/],
  [
    'bc_babyai algorithm=dagger expert_share=0',
    'algorithm.expert.share=0 with algorithm.expert.labels=played: the expert plays no turn, so that nothing is learned\n' +
      '  in command line: expert_share=0\n  write a share above 0, or algorithm.expert.labels=all',
  ],
  [
    'archer_20q threads=1000',
    /Config key 'device\.threads' must be at most 256, not 1000\n {4}in command line: threads=1000\n/,
  ],
  [
    'archer_20q iterations=1e18',
    /Config key 'algorithm\.iterations' must be at most 1000000000, not 1000000000000000000\n/,
  ],
  [
    'archer_20q max_new_tokens=512',
    "sampling.max_new_tokens=512 leaves no room in the policy's context of 512 tokens\n" +
      '  in command line: max_new_tokens=512\n  give a smaller sampling.max_new_tokens, or a larger policy.n_positions',
  ],
  [
    'archer_20q critic=roberta_base',
    /^critic=roberta_base has the sizes of a checkpoint, and critic.model is null\n {2}in .*configs\/task\/train\.yaml:\d+\n {2}give one with critic.model=roberta-base or critic.model=FOLDER, or write critic=transformer for one from scratch$/,
  ],
];

test.each([...ignored, ...ofOriginals, ...wasteful])('%s', async (words, expected) => {
  const [name, ...overrides] = words.split(' ');
  const said = await refusal(name, ...overrides);
  if (typeof expected === 'string') expect(said).toBe(expected);
  else expect(said).toMatch(expected);
});

test('threads beyond this machine’s cores', async () => {
  const cores = availableParallelism();
  if (4 * cores >= 256) return; // the schema’s bound comes first
  expect(await refusal('archer_20q', `threads=${4 * cores + 1}`)).toBe(
    `device.threads=${4 * cores + 1}: this machine has ${cores} cores, and far more threads than cores only wait for each other\n` +
      `  in command line: threads=${4 * cores + 1}\n  give device.threads=${cores} or less, or device.threads=0 for one for each core`,
  );
});

test('save_path in a folder of other files; one that an earlier start has marked is taken', async () => {
  const folder = join(directory, 'photos');
  expect(await refusal('archer_20q', `save_path=${folder}`)).toBe(
    `save_path: the folder '${folder}' contains other files (cat.jpg) and no run\n` +
      `  in command line: save_path=${folder}\n` +
      '  give a new or empty folder, or the folder of a run to resume it',
  );
  mkdirSync(join(folder, '.hydra'));
  expect(await refusal('archer_20q', `save_path=${folder}`)).toBeNull();
});

test('an agent of another environment, of another algorithm, and one without its critic', async () => {
  const evaluate = (...overrides: string[]) => refusal('archer_20q', 'task=evaluate', ...overrides);
  const [coin, chosen] = ['coin', 'chosen'].map((name) => join(directory, name));
  const best = (folder: string) => join(folder, 'checkpoints', 'best');
  expect(await evaluate(`checkpoint_path=${coin}`)).toMatch(
    new RegExp(
      `^the agent in ${best(coin)} was trained in coin, and would be played in twenty_questions\n.*\n {2}write env=coin$`,
    ),
  );
  expect(await evaluate(`checkpoint_path=${coin}`, 'env=coin')).toBeNull();
  expect(await evaluate(`checkpoint_path=${chosen}`)).toMatch(
    new RegExp(
      `^the agent in ${best(chosen)} was trained by chai, and archer acts in another way\n.*\n {2}write algorithm=chai$`,
    ),
  );
  expect(await evaluate(`checkpoint_path=${chosen}`, 'algorithm=chai')).toBe(
    `chai acts with its critic, and there is none beside ${best(chosen)}\n` +
      `  in command line: checkpoint_path=${chosen}\n  give a run of this algorithm or one of its checkpoints`,
  );
});

test('settings that were ignored once change the run now', async () => {
  const bc = (await composed('bc_20q', 'batch_size=2', 'lm_lr=5', 'epochs=9')).resolve();
  expect(bc.algorithm).toMatchObject({ name: 'bc', batch: { size: 2 }, actor: { lr: 5 }, epochs: 9 });
  expect(await refusal('bc_20q', 'batch_size=2', 'lm_lr=5', 'epochs=9')).toBeNull();
  const site = ['env_load_path=http://127.0.0.1:3000', 'env.backend=site', 'policy_lm=gpt2'];
  expect(await refusal('archer_webshop', ...site)).toBeNull();
});

test.each(['archer_20q', 'chai_20q', 'online_filteredbc_20q', 'bc_20q'])(
  '%s preset=paper is a whole config',
  async (name) => {
    expect(await refusal(name, 'preset=paper')).toBeNull();
  },
);

test('the hub’s models without an owner, as ArCHer’s configs name them', async () => {
  expect(await refusal('archer_20q', 'policy_lm=gpt2', 'critic_lm=roberta-base', 'preset=paper')).toBeNull();
});

test.each(['coin', 'webshop', 'maze'])(
  'the critic of %s starts at the return that the environment declares',
  async (env) => {
    expect((await composed('archer_20q', `env=${env}`)).setting('critic.initial_value')).toBeNull();
  },
);
