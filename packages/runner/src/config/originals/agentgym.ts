// Translates arguments of AgentGym's scripts (at commit 3ef9235) to keys of Bowyer: those of BCTrainer and AgentEvol, of the
// evaluations and of the script for preference data. The arguments are those of the tutorial on behaviour cloning and of
// agentenv/examples; docs/configs.md explains this table.
import { by, each, isTrue, nothing, plain, refused, to, type Meaning, type Outcome } from './outcome.js';

/** Options that limit an episode, which differ between environments; the last one cuts episodes of any environment. */
const LIMITS = [
  'env.max_rounds',
  'env.max_turns',
  'env.step_limit',
  'env.max_steps',
  'env.max_attempts',
  'play.max_turns',
];

const endpoint =
  (key: string, otherwise: Meaning): Meaning =>
  (value, facts) =>
    facts.isEndpoint ? { words: [`policy.endpoint.${key}=${value}`] } : otherwise(value, facts);

const trainsNothing = nothing('an evaluation trains nothing');
const readsNoData = nothing('an evaluation reads no training data');

const itemList: Meaning = to('item_list');

const testItems: Meaning = (value, { isRemote, reads }) =>
  isRemote && reads('env.test_items')
    ? { words: [`env.test_items=${value}`] }
    : {
        refused:
          'env.test_items=FILE of an environment on a server; one that is played here has held-out problems of its own',
      };

const weightDecay: Meaning = (value, { reads, isGiven }) =>
  reads('optimizer')
    ? { words: [...(isGiven('optimizer') ? [] : ['optimizer=adamw']), `optimizer.weight_decay=${value}`] }
    : { refused: 'this run trains nothing' };

const inEpochs =
  (key: string, elsewhere: string): Meaning =>
  (value, { isOnDataset, task, reads }) =>
    (isOnDataset || task === 'finetune') && reads(key) ? { words: [`${key}=${value}`] } : { nothing: elsewhere };

/**
 * Translates logging_steps, the interval at which AgentGym logs. There, a value of 0 or less turns off logging between epochs.
 */
const inSteps: Meaning = (value, { reads }) =>
  reads('logging_steps')
    ? { words: [`logging_steps=${each(value, (one) => (Number(plain(one)) > 0 ? one : 'null'))}`] }
    : { nothing: 'every iteration is logged' };

const items: Meaning = (value, { reads, isRemote }) => {
  const key = reads('data_len') ? 'data_len' : isRemote && reads('env.items') ? 'env.items' : null;
  return key === null ? { nothing: 'AgentGym’s own code does not read it either' } : { words: [`${key}=${value}`] };
};

const seconds: Meaning = (value, { env, isRemote, reads }) => {
  if (env === null) return 'ours';
  if (!isRemote || !reads('env.timeout_ms')) return { nothing: 'the environment is played in this process' };
  if (each(value, (one) => (Number.isFinite(Number(one)) ? '' : one)).replaceAll(',', '') !== '')
    return { refused: 'env.timeout_ms=MILLISECONDS; the argument is a number of seconds' };
  return { words: [`env.timeout_ms=${each(value, (one) => String(Math.round(Number(one) * 1000)))}`] };
};

const actionFormat: Meaning = (value, { reads }) => {
  if (plain(value) === 'default') return { nothing: 'the environment takes actions in its own form' };
  return reads('env.action_format')
    ? { words: [`env.action_format=${value}`] }
    : { refused: 'this environment takes actions in its own form alone' };
};

/** Translates the path of AgentGym's output file to an output folder, since the name of the file in it is fixed in Bowyer. */
const outputFile: Meaning = (value) => {
  const folder = plain(value).replace(/\.jsonl?$/, '');
  return { words: [`save_path=${folder}`], note: `the lines are in ${folder}/agentgym.jsonl` };
};

/**
 * Translates the path of the training file. If the file has conversations, the model must also play through its chat template.
 */
const trainingFile: Meaning = (value, facts) => {
  const isChat = facts.reads('play_as_chat') && !facts.isGiven('play_as_chat') && facts.hasConversations(plain(value));
  const { words = [], ...outcome } = to('demonstrations.path', 'data')(value, facts) as { words?: readonly string[] };
  if (words.length === 0) return outcome as Outcome;
  return { words: [...words, ...(isChat ? ['play_as_chat=true'] : [])] };
};

/**
 * Translates the path of a model. AgentGym keeps the model of every epoch; a run of Bowyer keeps only its best agent, which
 * without evaluations is that of the last epoch.
 */
const modelPath: Meaning = (value, facts) => {
  const given = to('checkpoint_path', 'model');
  const found = facts.epochOf(plain(value));
  if (found === null) return given(value, facts);
  const { run, epoch, epochs } = found;
  if (epoch !== epochs)
    return {
      refused: `policy.checkpoint=${run}, its best agent: the run has ${epochs} epochs, and no model of each of them is kept`,
    };
  const outcome = given(value.replace(/\/+train_epoch_\d+\/*(?=['"]?$)/, ''), facts);
  return typeof outcome === 'object' && 'words' in outcome
    ? { ...outcome, note: `the best agent of the run, which has ${epochs} epochs` }
    : outcome;
};

const onePreferenceFile = 'demonstrations.path=FILE with algorithm=offline_dpo: one file of both';

export const AGENTGYM: Readonly<Record<string, Meaning>> = {
  train_file: by(readsNoData, trainingFile),
  inference_file: by(
    itemList,
    nothing(
      'AgentGym plays these problems after training alone: npx bowyer --config-name eval_agentgym task.item_list=FILE',
    ),
  ),
  test_file: by(itemList, testItems),
  model_train_path: by(to('checkpoint_path'), to('policy_lm', 'model')),
  model_path: modelPath,
  model_save_path: to('save_path'),
  output_file: outputFile,
  output_dir: to('save_path'),
  eval_batch_size: to('slots'),
  n_epochs: by(trainsNothing, to('epochs')),
  num_workers: nothing('data are loaded in the process itself'),
  learning_rate: by(trainsNothing, to('lm_lr')),
  weight_decay: by(trainsNothing, weightDecay),
  warmup_step: by(trainsNothing, to('lm_schedule.warmup_steps')),
  clip_grad_norm: by(trainsNothing, to('max_grad_norm')),
  gradient_accumulation_steps: by(trainsNothing, to('grad_accum_steps')),
  evaluating_epoch_freq: by(
    trainsNothing,
    inEpochs('eval_freq', 'evaluations follow iterations here: algorithm.eval.freq=N'),
  ),
  evaluating_step_freq: nothing('AgentGym’s own code does not read it either'),
  logging_epoch_freq: nothing('every epoch is logged'),
  logging_step_freq: by(trainsNothing, inSteps),
  saving_epoch_freq: by(
    trainsNothing,
    inEpochs('save_freq', 'checkpoints follow iterations here: algorithm.save_freq=N'),
  ),
  max_round: to(...LIMITS),
  wandb_project: to('project_name'),
  wandb_run_name: to('run_name'),
  timeout: seconds,
  iter_data_path: nothing('an iteration learns from what it has played, which is in trajectories/ of the run'),
  iter_num: to('iterations'),
  add_original_data: (value) =>
    isTrue(value)
      ? { nothing: 'the original data are always trained on too' }
      : {
          refused:
            'the original data are always trained on too; algorithm.success.merge=newest or algorithm.success.merge=cumulative decides what is beside them',
        },
  expert: refused(onePreferenceFile),
  experience: refused(onePreferenceFile),
  prompt_length: nothing('only the tokens that the agent wrote are trained on, not the prompt'),
  reward_gap: refused(
    'in each pair of episodes of a task the one with the higher return is preferred, however small the difference',
  ),
  expert_threshold: refused('the better of two episodes is preferred, whatever its return is'),
  use_vllm: (value) =>
    isTrue(value)
      ? { refused: 'policy=openai policy.endpoint.base_url=ADDRESS of a server' }
      : { nothing: 'models run on ONNX Runtime' },
  action_format: actionFormat,
  model: endpoint('model', to('checkpoint_path', 'policy_lm')),
  base_url: endpoint(
    'base_url',
    refused(
      'policy.endpoint.base_url=ADDRESS with task=evaluate policy=openai; env.base_url=ADDRESS of an environment on a server',
    ),
  ),
  api_key: endpoint(
    'api_key_env',
    refused('policy.endpoint.api_key_env=NAME of an environment variable, with policy=openai'),
  ),
  max_length: refused('sampling.max_new_tokens=N of a reply; the policy’s context bounds the dialogue'),
};

/** Translates do_sample in training, where Bowyer's algorithms always sample. */
const sampling: Meaning = (value) =>
  isTrue(value) ? { nothing: 'this algorithm always samples' } : { refused: 'this algorithm always samples' };

const decoding = (value: string): string => (isTrue(value) ? 'sample' : 'greedy');

/**
 * The translations of AgentGym's arguments whose names are also keys of Bowyer. They are applied in runs that do not read
 * Bowyer's key.
 */
export const AGENTGYM_OWN: Readonly<Record<string, Meaning>> = {
  data_len: by(to('test_size'), items),
  do_sample: by((value, { isEndpoint }) => {
    if (!isEndpoint) return { words: [`eval_decoding=${each(value, decoding)}`] };
    return isTrue(value)
      ? { nothing: 'an endpoint samples at its temperature' }
      : { words: ['policy.endpoint.temperature=0'] };
  }, sampling),
  temperature: endpoint('temperature', refused('this run samples nothing')),
  top_p: endpoint('top_p', refused('this run samples nothing')),
  processes: endpoint('concurrency', refused('play.slots=N of episodes at the same time')),
  max_input_length: by(readsNoData, nothing('the policy’s context limits the length of a training text')),
  sample_num: to('group_size'),
};

/** The names in AgentGym of tasks whose environments have other names in Bowyer. */
const TASKS: Readonly<Record<string, string>> = { lmrlgym_maze: 'maze', lmrlgym_wordle: 'wordle' };

export const environmentOfTask = (task: string): string => TASKS[task.toLowerCase()] ?? task.toLowerCase();
