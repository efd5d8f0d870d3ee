// Lists options that a run reads only together with another choice, and that choice, for the error that would otherwise only call
// the option an unknown key.
import type { Choices } from '../agent/keys/choices.js';

const GIVEN_START =
  'policy.model or policy.checkpoint names the model to start from: leave it out to make a start here';
const GIVEN_FILE = 'this is decided by the file that demonstrations.path names';
const TEMPLATE = 'write play.as_chat=true, or give conversations to imitate (demonstrations.path)';
const FILE_OF_CONVERSATIONS = 'give conversations to imitate (demonstrations.path)';
const ADAM = 'choose optimizer=adam, adamw, muon or adamw_8bit';
const MOMENTUM = 'choose optimizer=sgd or muon';
const TRANSFORMER = 'choose critic=transformer';
const AHEAD = 'choose rollout.mode=lock_step or rollout.mode=asynchronous';

/** For the path of an option or node: the choice with which a run reads it. */
const CONDITIONS: Readonly<Record<string, string>> = {
  'task.data_len': 'write task.item_list=FILE to play problems of a list',
  'task.split': 'task.item_list names the problems: leave it out to play those of a split',
  lora: 'write lora.enabled=true to train adapters',
  warm_start: GIVEN_START,
  'policy.endpoint':
    'an endpoint plays in task=evaluate and cannot be trained: choose policy=tiny, or give policy.model=FOLDER',
  policy: GIVEN_START,
  chat: TEMPLATE,
  'demonstrations.format': FILE_OF_CONVERSATIONS,
  'demonstrations.split': FILE_OF_CONVERSATIONS,
  'context.history_turns': 'choose context=window or context=tutorial',
  'context.max_chars': 'choose context=window or context=tutorial',
  'context.task_description': 'choose context=window or context=last',
  'context.step_counter': 'choose context=dialogue, window or last',
  'context.inventory': 'choose context=dialogue, window, last or tutorial',
  'context.valid_actions': 'choose context=dialogue, window, last or tutorial',
  'memory.encoder': 'choose memory=encoder',
  'memory.grow': 'choose memory=bm25 or memory=encoder, and an algorithm that plays episodes',
  memory: 'choose memory=bm25 or memory=encoder; what a memory contains is decided in training',
  'optimizer.momentum': MOMENTUM,
  'optimizer.nesterov': MOMENTUM,
  'optimizer.betas': ADAM,
  'optimizer.eps': ADAM,
  'critic.num_layers': TRANSFORMER,
  'critic.num_heads': TRANSFORMER,
  'critic.max_length': TRANSFORMER,
  'critic.state_feature': TRANSFORMER,
  'critic.width': 'critic.model has its own sizes',
  'rollout.max_staleness': AHEAD,
  'rollout.threads': AHEAD,
};

/** For options of a local model: the options that replace them if a chat endpoint plays. */
const AT_AN_ENDPOINT: Readonly<Record<string, string>> = {
  'sampling.temperature': 'write policy.endpoint.temperature=X',
  'sampling.top_p': 'write policy.endpoint.top_p=X',
  'sampling.top_k': 'the protocol of chat completions has no top_k',
  'sampling.max_new_tokens': 'write policy.endpoint.max_tokens=N',
  'sampling.do_sample': 'write policy.endpoint.temperature=0 for greedy replies',
  'algorithm.eval.decoding': 'write policy.endpoint.temperature=0 for greedy replies',
  'task.processes': 'write policy.endpoint.concurrency=N: one process sends all requests',
  'task.compare_with': 'evaluate each agent in a run of its own',
};

/** For options of serving an environment: the options that replace them if clients connect in another way. */
const OF_A_SERVED_ENVIRONMENT: Readonly<Record<string, string>> = {
  'task.transport': 'choose task.protocol=mcp',
  'task.server_key_env':
    'choose task.protocol=mcp with task.transport=http: clients of the other protocols send no key',
  'task.host': 'choose task.transport=http',
  'task.port': 'choose task.transport=http',
  'task.allow_anonymous': 'choose task.transport=http',
  'task.max_instances': 'choose task.transport=http',
  'task.idle_minutes': 'choose task.transport=http',
};

/** Undefined where no other option makes a run read this one. */
export function conditionOf(path: string, { algorithm, setting }: Choices): string | undefined {
  if (algorithm?.needs.source === 'dataset' && path.startsWith('warm_start'))
    return `${algorithm.name} has no warm start: it trains with its own options (--help algorithm)`;
  if (path === 'task.test_size' && (setting('task.item_list') ?? null) !== null)
    return 'task.item_list decides which episodes are played: for fewer of them write task.data_len=N, and leave it out with ~task.test_size';
  if (path.startsWith('demonstrations.') && (setting('demonstrations.path') ?? null) !== null) return GIVEN_FILE;
  if (setting('policy.endpoint') !== undefined && Object.hasOwn(AT_AN_ENDPOINT, path))
    return `an endpoint plays: ${AT_AN_ENDPOINT[path]}`;
  if (setting('task.name') === 'serve_env' && Object.hasOwn(OF_A_SERVED_ENVIRONMENT, path))
    return OF_A_SERVED_ENVIRONMENT[path];
  if (path === 'sampling.do_sample' && setting('task.name') === 'evaluate')
    return 'write algorithm.eval.decoding=sample or algorithm.eval.decoding=greedy';
  const parts = path.split('.');
  for (let length = parts.length; length > 0; length--) {
    const condition = CONDITIONS[parts.slice(0, length).join('.')];
    if (condition !== undefined) return condition;
  }
  return undefined;
}
