// Finds keys of a composed config that its task, algorithm and environment do not read: settings of files for another unit
// are left out, settings of the user are refused, so that no key is silently ignored.
import { basename, relative, sep } from 'node:path';
import type { TObject, TProperties, TSchema } from '@sinclair/typebox';
import { findAlgorithm, algorithmNames } from '@bowyer/algorithms';
import {
  ConfigError,
  type Composition,
  type OriginRecord,
  type PlainObject,
  type PrepareContext,
} from '@bowyer/config';
import { environmentNames } from '@bowyer/envs';
import { habits } from './foreign/habits.js';
import { IMPLIED } from './implied-rule.js';
import { findTask, taskNames } from '../tasks/registry.js';
import type { Choices } from '@bowyer/agent';
import type { TaskUnit } from '../tasks/task.js';
import { placeText } from '../plugins/place-text.js';
import { loadPlugins } from '../plugins/plugins.js';
import { choicesOf, schemaOf, taskOf, unknownUnit } from './units.js';

/** Groups whose choice on the command line decides which keys there are. */
const UNITS = ['task', 'algorithm', 'env', 'context', 'memory', 'policy', 'critic', 'optimizer', 'preset'];

/**
 * @param shipped folders of the program's own configs
 * @returns the keys to leave out of the composition
 * @throws {ConfigError} for keys that the user gave and nobody reads
 */
export async function unreadKeys(
  composition: Composition,
  context: PrepareContext,
  shipped: readonly string[],
): Promise<string[]> {
  await loadPlugins(composition);
  // The validation reports a task, an environment or an algorithm that does not exist; its keys are not the problem.
  if (taskOf(composition) === undefined || unknownUnit(composition) !== undefined) return [];
  const unread = unreadPaths(composition.config, schemaOf(composition));
  // A group that the user has chosen counts as read if anything in it is.
  const isUseless = (group: string) => !readsAny(composition.config[group], group, new Set(unread));
  const given = new Set(
    context.overrides
      .filter(({ kind, key, isGroup }) => kind !== 'delete' && (!isGroup || isUseless(key)))
      .map(({ key }) => key),
  );
  const isSwitched = context.overrides.some(({ key, isGroup }) => isGroup && UNITS.includes(key));
  const own = readsOf(composition);
  const owned = unread.filter((path) => hasOwner(path, own)); // the validation reports the others as unknown
  const refused = owned.filter((path) => {
    if (covers(given, path)) return true;
    const origin = composition.origin(path)[0];
    return (
      !isSwitched &&
      origin !== undefined &&
      !origin.source.startsWith(IMPLIED) &&
      !isShipped(origin, shipped, composition)
    );
  });
  if (refused.length > 0) throw refusal(refused, composition, given, own);
  return owned;
}

/** Keys of the config that its schema does not have, as `lora` or `demonstrations.noise`. */
function unreadPaths(config: PlainObject, schema: TSchema, prefix = ''): string[] {
  const { properties, additionalProperties } = schema as Partial<TObject>;
  if (properties === undefined || additionalProperties !== false) return [];
  return Object.entries(config).flatMap(([key, value]) => {
    const path = `${prefix}${key}`;
    const known = (properties as Record<string, TSchema>)[key];
    if (known === undefined) return [path];
    return isTree(value) ? unreadPaths(value, known, `${path}.`) : [];
  });
}

/** Whether something of a node is read. */
function readsAny(node: unknown, path: string, unread: ReadonlySet<string>): boolean {
  if (unread.has(path)) return false;
  return !isTree(node) || Object.entries(node).some(([key, value]) => readsAny(value, `${path}.${key}`, unread));
}

const isTree = (value: unknown): value is PlainObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Whether an override set the key itself, something in it, or what it is part of. */
const covers = (given: ReadonlySet<string>, path: string): boolean =>
  [...given].some((key) => key === path || key.startsWith(`${path}.`) || path.startsWith(`${key}.`));

/** Whether a config is one of the program's own: the keys that it sets for another unit are not the user's choice. */
function isShipped({ source }: OriginRecord, shipped: readonly string[], composition: Composition): boolean {
  const folder = shipped.find((one) => source.startsWith(one + sep));
  if (folder === undefined) return false;
  const config = relative(folder, source).replace(/\.yaml$/, '');
  return config !== composition.setting('hydra.job.config_name') && !isExperiment(config, folder);
}

/** A sweep is asked for by `+experiment=`: a file of the folder `experiments`, or of a study's folder `experiment`. */
const isExperiment = (config: string, folder: string): boolean =>
  /(^|\/)experiment\//.test(config) || (basename(folder) === 'experiments' && !config.includes('/'));

interface Reads {
  unit: TaskUnit;
  choices: Choices;
}

const readsOf = (composition: Composition): Reads => ({ unit: taskOf(composition)!, choices: choicesOf(composition) });

const NO_CHOICES: Choices = { algorithm: null, env: null, setting: () => undefined };

/** Which tasks, algorithms and environments read a key that the config does not have, in words. */
export function readersOf(key: string): string[] {
  const train = findTask('train')!;
  const algorithms = algorithmNames().filter((name) =>
    hasKey(train, key, { ...NO_CHOICES, algorithm: findAlgorithm(name)! }),
  );
  const tasks = taskNames().filter((name) => hasKey(findTask(name)!, key, NO_CHOICES));
  const environments = environmentNames().filter((name) => hasKey(train, key, { ...NO_CHOICES, env: name }));
  return [
    ...(tasks.length > 0 ? [`task ${tasks.join(', ')}`] : []),
    ...(algorithms.length > 0 && !tasks.includes('train') ? [`algorithm ${algorithms.join(', ')}`] : []),
    ...(environments.length > 0 && !tasks.includes('train') ? [`environment ${environments.join(', ')}`] : []),
  ];
}

/** Whether `ownersOf` has any: most keys have one among the first units that are asked. */
const hasOwner = (path: string, { unit, choices }: Reads): boolean =>
  conditionOf(path, choices) !== undefined ||
  algorithmNames().some((name) => hasKey(unit, path, { ...choices, algorithm: findAlgorithm(name)! })) ||
  taskNames().some((name) => hasKey(findTask(name)!, path, choices)) ||
  environmentNames().some((name) => hasKey(unit, path, { ...choices, env: name })) ||
  readersOf(path).length > 0;

/** The units that read a key which this run does not read, or the choice that would make this run read it; empty where there is none. */
function ownersOf(path: string, { unit, choices }: Reads): string[] {
  const condition = conditionOf(path, choices);
  const algorithms = algorithmNames().filter(
    (name) => name !== choices.algorithm?.name && hasKey(unit, path, { ...choices, algorithm: findAlgorithm(name)! }),
  );
  const tasks = taskNames().filter((name) => name !== unit.name && hasKey(findTask(name)!, path, choices));
  const environments = environmentNames().filter(
    (name) => name !== choices.env && hasKey(unit, path, { ...choices, env: name }),
  );
  const owners = [
    ...(condition === undefined ? [] : [condition]),
    ...(algorithms.length > 0 ? [`algorithm ${algorithms.join(', ')}`] : []),
    ...(tasks.length > 0 && algorithms.length === 0 ? [`task ${tasks.join(', ')}`] : []),
    ...(environments.length > 0 ? [`environment ${environments.join(', ')}`] : []),
  ];
  // More than one choice may have to change, as both the task and the algorithm.
  return owners.length > 0 ? owners : readersOf(path);
}

/** The name of the key in this run. */
function ownName(path: string, { unit, choices }: Reads): string[] {
  const names = (habits.get(path) ?? []).filter((key) => hasKey(unit, key, choices));
  return names.length === 0 ? [] : [`  in this run it is ${names.slice(0, 2).join(' or ')}`];
}

/** Whether a task has a key, as `lora.r`; what is inside the node `env` is the environment's own. */
export function hasKey(task: TaskUnit, path: string, choices: Choices): boolean {
  const [first, ...inner] = path.split('.');
  let at: TSchema | undefined = keysOf(task, choices)[first];
  for (const key of inner) at = (at as Partial<TObject> | undefined)?.properties?.[key];
  return at !== undefined;
}

const keysOfChoices = new WeakMap<Choices['setting'], Map<string, TProperties>>();

/** The keys of a task, kept for each composition: each unread key is looked for in all tasks, algorithms and environments. */
function keysOf(task: TaskUnit, choices: Choices): TProperties {
  const known = keysOfChoices.get(choices.setting) ?? new Map<string, TProperties>();
  keysOfChoices.set(choices.setting, known);
  const name = [task.name, choices.algorithm?.name, choices.env].join(' ');
  const keys = known.get(name) ?? task.keys(choices);
  known.set(name, keys);
  return keys;
}

const GIVEN_START = 'policy_lm or checkpoint_path names the model to start from: leave it out to make a start here';
const GIVEN_FILE = 'this is decided by the file that demonstrations.path names';

/** Keys that other keys switch on, and how. */
const CONDITIONS: Readonly<Record<string, string>> = {
  data_len: 'write item_list=FILE to play problems of a list',
  split: 'item_list names the problems: leave it out to play those of a split',
  lora: 'write use_lora=true to train adapters',
  warm_start: GIVEN_START,
  cache_dir: GIVEN_START,
  policy: GIVEN_START,
  chat_template: 'write play_as_chat=true, or give conversations to imitate (demonstrations.path)',
  chat_template_kwargs: 'write play_as_chat=true, or give conversations to imitate (demonstrations.path)',
  upstream_loss_mask: 'write play_as_chat=true, or give conversations to imitate (demonstrations.path)',
  'demonstrations.format': 'give conversations to imitate (demonstrations.path)',
  'demonstrations.split': 'give conversations to imitate (demonstrations.path)',
  'context.history_turns': 'choose context=window or context=tutorial',
  'context.max_chars': 'choose context=window or context=tutorial',
  'context.task_description': 'choose context=window or context=last',
  'context.step_counter': 'choose context=dialogue, window or last',
  'context.inventory': 'choose context=dialogue, window, last or tutorial',
  'context.valid_actions': 'choose context=dialogue, window, last or tutorial',
  'memory.encoder': 'choose memory=encoder',
  'memory.grow': 'choose memory=bm25 or memory=encoder, and an algorithm that plays episodes',
  'memory.': 'choose memory=bm25 or memory=encoder; what a memory contains is decided in training',
  memory: 'a memory is read while episodes are played, and this run plays none',
  'optimizer.momentum': 'choose optimizer=sgd or muon',
  'optimizer.nesterov': 'choose optimizer=sgd or muon',
  'optimizer.betas': 'choose optimizer=adam, adamw, muon or adamw_8bit',
  'optimizer.eps': 'choose optimizer=adam, adamw, muon or adamw_8bit',
  'critic.num_layers': 'choose critic=transformer',
  'critic.num_heads': 'choose critic=transformer',
  'critic.max_length': 'choose critic=transformer',
  'critic.state_feature': 'choose critic=transformer',
  'critic.width': 'critic_lm has its own sizes',
  'rollout.max_staleness': 'choose rollout.mode=lock_step or rollout.mode=asynchronous',
  'rollout.threads': 'choose rollout.mode=lock_step or rollout.mode=asynchronous',
  'policy.endpoint':
    'an endpoint plays in task=evaluate and cannot be trained: choose policy=tiny, or give policy_lm=FOLDER',
};

/** The keys of an endpoint that plays, in the place of those of a model. */
const AT_AN_ENDPOINT: Readonly<Record<string, string>> = {
  temperature: 'write policy.endpoint.temperature=X',
  top_p: 'write policy.endpoint.top_p=X',
  top_k: 'the protocol of chat completions has no top_k',
  max_new_tokens: 'write policy.endpoint.max_tokens=N',
  do_sample: 'write policy.endpoint.temperature=0 for greedy replies',
  eval_decoding: 'write policy.endpoint.temperature=0 for greedy replies',
  eval_do_sample: 'write policy.endpoint.temperature=0 for greedy replies',
  processes: 'write policy.endpoint.concurrency=N: one process sends all requests',
  compare_with: 'evaluate each agent in a run of its own',
};

/** The keys of a server of environments whose clients connect in another way. */
const OF_A_SERVED_ENVIRONMENT: Readonly<Record<string, string>> = {
  transport: 'choose protocol=mcp',
  server_key_env: 'choose protocol=mcp with transport=http: clients of the other protocols send no key',
  host: 'choose transport=http',
  port: 'choose transport=http',
  allow_anonymous: 'choose transport=http',
  max_instances: 'choose transport=http',
  idle_minutes: 'choose transport=http',
};

/** The choice that would make a run read a key that it does not read; undefined where no other key switches it on. */
export function conditionOf(path: string, { algorithm, setting }: Choices = NO_CHOICES): string | undefined {
  // The algorithm is the warm start itself.
  if (algorithm?.needs.source === 'dataset' && /^(warm_start|cache_dir)\b/.test(path)) {
    const keys = Object.keys(algorithm.options.properties as object).join(', ');
    return `${algorithm.name} has no warm start: it trains with its own keys (${keys})`;
  }
  if (path === 'test_size' && (setting('item_list') ?? null) !== null)
    return 'item_list decides which episodes are played: for fewer of them write data_len=N, and leave test_size out with ~test_size';
  if (path.startsWith('demonstrations.') && (setting('demonstrations.path') ?? null) !== null) return GIVEN_FILE;
  if (path.startsWith('policy.endpoint')) return CONDITIONS['policy.endpoint'];
  if (Object.hasOwn(AT_AN_ENDPOINT, path) && setting('policy.endpoint') !== undefined)
    return `an endpoint plays: ${AT_AN_ENDPOINT[path]}`;
  if (Object.hasOwn(OF_A_SERVED_ENVIRONMENT, path) && setting('task') === 'serve_env')
    return OF_A_SERVED_ENVIRONMENT[path];
  if (path === 'do_sample' && setting('task') === 'evaluate')
    return 'write eval_decoding=sample or eval_decoding=greedy';
  return Object.entries(CONDITIONS).find(([key]) => path === key || path.startsWith(`${key}.`))?.[1];
}

function refusal(
  refused: readonly string[],
  composition: Composition,
  given: ReadonlySet<string>,
  reads: Reads,
): ConfigError {
  const { unit, choices } = reads;
  const who = [
    `task=${unit.name}`,
    choices.algorithm && composition.config.agent_type !== undefined && `algorithm=${choices.algorithm.name}`,
    choices.env && composition.config.env !== undefined && `env=${choices.env}`,
  ].filter(Boolean);
  // In place of a node, the keys that the user has set in it.
  const paths = refused.flatMap((path) => {
    const inside = [...given].filter((key) => key.startsWith(`${path}.`));
    return inside.length > 0 ? inside : [path];
  });
  const lines = paths.flatMap((path, i) => {
    const [{ source, line }] = composition.origin(path);
    const value = composition.setting(path);
    const condition = conditionOf(path, choices);
    const owners = ownersOf(path, reads).filter((owner) => owner !== condition);
    return [
      ...(i === 0 ? [] : ['']),
      `${path}${isTree(value) ? '' : `=${String(value)}`} has no effect: this run (${who.join(' ')}) does not read it`,
      `  in ${placeText(source, line)}`,
      ...(condition === undefined ? [] : [`  ${condition}`]),
      ...ownName(path, reads),
      ...(condition === undefined && owners.length > 0 ? [`  it belongs to: ${owners.join('; ')}`] : []),
    ];
  });
  const count = paths.length === 1 ? 'A key would be ignored' : `${paths.length} keys would be ignored`;
  return new ConfigError('validation', count, lines, { keyPath: paths[0] });
}
