// Keys of other programs' configs, and what replaces them here.
import type { ConfigError } from '@bowyer/config';

/** Arguments of AgentGym's scripts (its BCTrainer, AgentEvol, DPO and evaluation). */
const AGENTGYM: Readonly<Record<string, string>> = {
  train_file: 'demonstrations.path=FILE',
  inference_file: 'item_list=FILE with task=evaluate',
  test_file: 'env.test_items=FILE for training, item_list=FILE with task=evaluate',
  model_train_path: 'policy_lm=FOLDER',
  model_path: 'checkpoint_path=FOLDER',
  model_save_path: 'save_path=FOLDER; the model is in its checkpoints/best',
  output_file: 'save_path=FOLDER; episodes are in its agentgym.jsonl',
  task_name: 'env=NAME',
  eval_batch_size: 'slots=N',
  n_epochs: 'epochs=N',
  num_workers: 'nothing: data are loaded in the process itself',
  learning_rate: 'lm_lr=RATE',
  weight_decay: 'optimizer=adamw optimizer.weight_decay=X',
  warmup_step: 'lm_schedule.warmup_steps=N (negative: a tenth of all)',
  clip_grad_norm: 'max_grad_norm=X',
  gradient_accumulation_steps: 'grad_accum_steps=N',
  evaluating_epoch_freq: 'eval_freq=N',
  logging_epoch_freq: 'nothing: every epoch is logged',
  logging_step_freq: 'nothing: every epoch is logged',
  saving_epoch_freq: 'save_minutes=X',
  max_input_length: 'max_input_length=N of an algorithm that has a dataset; elsewhere the policy’s context bounds it',
  max_round: 'env.max_turns=N or env.max_rounds=N, as the environment names it (--help lists its options)',
  wandb_log: 'use_wandb=true or logger=wandb',
  wandb_project: 'project_name=NAME',
  wandb_run_name: 'run_name=NAME',
  data_len: 'data_len=N with task=evaluate item_list=FILE; env.items=N of an environment on a server',
  timeout: 'env.timeout_ms=MILLISECONDS of an environment on a server',
  iter_data_path: 'nothing: an iteration learns from what it has played',
  iter_num: 'iterations=N',
  evaluating_step_freq: 'eval_freq=N',
  add_original_data: 'nothing: algorithm=agent_evol learns from the original data too',
  expert: 'demonstrations.path=FILE with algorithm=offline_dpo: one file of both',
  experience: 'demonstrations.path=FILE with algorithm=offline_dpo: one file of both',
  prompt_length: 'nothing: what the agent wrote is learned from, and not the prompt',
  reward_gap: 'nothing: of every two episodes of a task the one with the higher return is preferred',
  expert_threshold: 'nothing: the better of two episodes is learned whatever its return',
  use_vllm: 'policy=openai policy.endpoint.base_url=ADDRESS of a server',
  action_format: 'nothing: environments take actions in their own form',
  model: 'policy.endpoint.model=NAME with policy=openai; checkpoint_path=FOLDER for a model here',
  base_url:
    'policy.endpoint.base_url=ADDRESS with policy=openai; env_server_base=ADDRESS of an environment on a server',
  max_length: 'max_new_tokens=N of a reply; the policy’s context bounds the dialogue',
  api_key: 'policy.endpoint.api_key_env=NAME of an environment variable',
  output_dir: 'save_path=FOLDER; episodes are in its agentgym.jsonl',
};

/** Keys and arguments of the mathematics fork of ArCHer. */
const MATHEMATICS: Readonly<Record<string, string>> = {
  max_tokens: 'max_new_tokens=N of an answer, env.max_attempts=N answers',
  model_name: 'policy_lm=FOLDER',
  num_problems: 'test_size=N',
};

/** What a key of another program is here, with the program; undefined where no such program is known. */
export function foreignKey(key: string): { message: string; remedy: string } | undefined {
  const programs = { "AgentGym's scripts": AGENTGYM, "ArCHer's mathematics fork": MATHEMATICS };
  for (const [program, keys] of Object.entries(programs))
    if (Object.hasOwn(keys, key))
      return { message: `'${key}' is a key of ${program}`, remedy: `here it is: ${keys[key]}` };
  return undefined;
}

/** A clearer error for an override of a key that the composed config does not have; undefined where nothing is known of it. */
export async function explain(error: ConfigError): Promise<ConfigError | undefined> {
  const key = /^Could not override '([\w.]+)': no such key$/.exec(error.summary)?.[1];
  if (key === undefined) return undefined;
  const { ConfigError: Explained } = await import('@bowyer/config');
  const place = { keyPath: key, file: error.file };
  const foreign = foreignKey(key);
  if (foreign) return new Explained('composition', foreign.message, ['in the command line', foreign.remedy], place);
  const { conditionOf, readersOf } = await import('./prepare.js');
  const condition = key.startsWith('launcher.') ? 'it belongs to a launcher: add launcher=local' : conditionOf(key);
  const readers = readersOf(key);
  if (condition !== undefined)
    return new Explained('composition', `'${key}' is not read by this run`, ['in the command line', condition], place);
  if (readers.length === 0) return undefined;
  return new Explained(
    'composition',
    `'${key}' is not read by this run`,
    ['in the command line', `it belongs to: ${readers.join('; ')}`, 'leave it out, or choose what it belongs to'],
    place,
  );
}
