// Checks a composed config before its run makes or loads anything.
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { findAlgorithm } from '@bowyer/algorithms';
import { oneProblem, type ConfigProblem } from '@bowyer/core';
import { validate, type Composition } from '@bowyer/config';
import type { TObject } from '@sinclair/typebox';
import { environmentProblems } from '@bowyer/envs';
import { actionChoiceProblems, contextKeyProblems, expertProblems } from '../agent/context/context-keys.js';
import type { EnvironmentConfig } from '../agent/environment/environment.js';
import { memoryKeyProblems } from '../agent/memory/memory-keys.js';

import { resolvedConfig } from '../context/resolved-config.js';
import { originalKey } from './originals/names.js';
import { IMPLIED } from './implied-rule.js';
import { placeProblems, type PlacesConfig } from './place-problems.js';
import { placeText } from '../plugins/place-text.js';
import { schemaOf, taskOf, unknownUnit } from './units.js';
import { CONFIG_FILE } from '../run/recorded-config.js';

/** Refuses a config that its task cannot run, or whose run would be useless. */
export async function validateConfig(composition: Composition): Promise<void> {
  const unknown = unknownUnit(composition);
  // This call always throws for an unknown name of an environment or algorithm. Other keys are not checked, since their schema
  // depends on the name.
  if (unknown !== undefined) await validate(composition, unknown.schema);
  const schema = schemaOf(composition);
  const bare = withoutDefaults(composition);
  // Missing defaults are reported before other problems, since keys of other programs can be translated only in a config with
  // defaults.
  if (bare.length > 0) throw new Error(textOf(bare, composition));
  const early = [
    ...otherAlgorithm(composition),
    ...sizelessCritic(composition),
    ...(await keysOfOthers(composition, schema)),
  ];
  if (early.length > 0) throw new Error(textOf(early, composition));
  await validate(composition, schema);
  const unit = taskOf(composition)!;
  const config = resolvedConfig(composition.resolve(), schema).values;
  const places = placeProblems(config as typeof config & PlacesConfig);
  const problems = [
    ...algorithmProblems(config),
    ...contextKeyProblems(config),
    ...memoryKeyProblems(config),
    ...actionChoiceProblems(config),
    ...expertProblems(config),
    ...(unit.plays ? playProblems(composition, config as EnvironmentConfig) : []),
    ...places,
    ...(places.length > 0 ? [] : limitProblems(config as typeof config & LimitedConfig)),
    ...((await unit.problems?.(config)) ?? []),
  ];
  if (problems.length > 0) throw new Error(textOf(problems, composition));
}

/** Refuses a config whose defaults list does not include Bowyer's defaults, since the schema would report each missing key. */
function withoutDefaults(composition: Composition): ConfigProblem[] {
  // A config with `save_path` has the defaults, since those of every primary config include configs/base.yaml, which sets it.
  if (composition.setting('save_path') !== undefined) return [];
  return [
    {
      message: "this config has no list of defaults, so that it lacks the project's own keys",
      remedy: 'begin its file with\n    defaults:\n      - default\n      - algorithm: archer\n      - _self_',
    },
  ];
}

const TRAINING = ['train', 'train_agent'];

/** Refuses a config whose `algorithm.name` was changed without choosing the options of that algorithm (`algorithm=NAME`). */
function otherAlgorithm(composition: Composition): ConfigProblem[] {
  const key = 'algorithm.name';
  const name = composition.setting(key);
  const named = typeof name === 'string' ? findAlgorithm(name) : undefined;
  if (named === undefined) return [];
  const chosen = composition.choices.algorithm ?? null;
  const { name: own } = named;
  if (chosen === null && TRAINING.includes(composition.setting('task.name') as string))
    return oneProblem(
      key,
      `${key} is ${name as string}, but the options of that algorithm are not there`,
      `add '- algorithm: ${own}' to the defaults list of the config, or write algorithm=${own}`,
    );
  const other = chosen === null ? undefined : findAlgorithm(chosen);
  if (other === undefined || other === named) return [];
  return oneProblem(
    key,
    `${key} is ${name as string}, but the options are those of ${other.name}`,
    `choose the algorithm with its options: algorithm=${own}`,
  );
}

/**
 * Refuses keys of other programs that could not be translated, with their counterparts; the schema would only call them unknown.
 */
async function keysOfOthers(
  composition: Composition,
  { properties }: Pick<TObject, 'properties'>,
): Promise<ConfigProblem[]> {
  const found = Object.entries(composition.config).flatMap(([key, value]) => {
    const original = key in properties ? undefined : originalKey(key);
    return original ? [{ key, value, ...original }] : [];
  });
  if (found.length === 0) return [];
  const facts = await (await import('./implied-facts.js')).runFacts(composition, new Set());
  return found.map(({ key, value, program, meaning }) => {
    const outcome = meaning(String(value), facts);
    const meant = composition.optionsNamed(key);
    const otherwise = meant.length > 0 ? `write one of: ${meant.join(', ')}` : 'leave it out';
    const remedy = outcome !== 'ours' && 'refused' in outcome ? `here: ${outcome.refused}` : otherwise;
    return { key, message: `'${key}' is a key of ${program} that this run cannot take`, remedy };
  });
}

/** Refuses a critic without sizes in one error, since the schema would report each missing size. */
function sizelessCritic(composition: Composition): ConfigProblem[] {
  const [kind, width, model] = ['critic.kind', 'critic.width', 'critic.model'].map((key) => composition.setting(key));
  if (kind !== 'transformer' || width !== undefined || model !== null) return [];
  return oneProblem(
    'critic.model',
    `critic=${composition.choices.critic} has the sizes of a checkpoint, and critic.model is null`,
    'give one with critic.model=roberta-base or critic.model=FOLDER, or write critic=transformer for one from scratch',
  );
}

function algorithmProblems(config: Record<string, unknown>): ConfigProblem[] {
  if (!TRAINING.includes((config.task as { name: string }).name)) return [];
  const own = config.algorithm as { name: string };
  return findAlgorithm(own.name)?.problems?.(own) ?? [];
}

function playProblems(composition: Composition, config: EnvironmentConfig): ConfigProblem[] {
  const { name, ...options } = config.env;
  return environmentProblems(name, options).filter(
    ({ key, unreadFor }) => unreadFor === undefined || !isOverridden(composition, key, unreadFor),
  );
}

/** Returns whether a file's value of a key belongs to a choice that the command line or an implied key has since replaced. */
const isOverridden = (composition: Composition, key: string, choice: string): boolean =>
  !isTyped(composition, key) && (isTyped(composition, choice) || comesFrom(composition, choice, IMPLIED));

const isTyped = (composition: Composition, key: string): boolean => comesFrom(composition, key, 'command line');

const comesFrom = (composition: Composition, key: string, source: string): boolean =>
  composition.origin(key)[0]?.source.startsWith(source) === true;

/**
 * Matches files that a run's folder may contain before the run starts: Hydra's record of the config, logs, the marker of a
 * sweep's job.
 */
const OF_A_START = /^\.|\.log$|^sweep-job\.json$|^multirun\.yaml$|^checkpoints$/;

interface LimitedConfig {
  savePath: string | null;
  device?: { threads?: number };
  sampling?: { maxNewTokens?: number };
  /** `nPositions` is the context length of a policy from scratch. */
  policy?: { nPositions?: number };
}

/** Limits that a schema cannot express: this machine's cores, the context length, and the contents of the run's folder. */
function limitProblems({ device, sampling, policy, savePath }: LimitedConfig): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const cores = availableParallelism();
  const threads = device?.threads ?? 0;
  if (threads > 4 * cores)
    problems.push({
      key: 'device.threads',
      message: `device.threads=${threads}: this machine has ${cores} cores, and far more threads than cores only wait for each other`,
      remedy: `give device.threads=${cores} or less, or device.threads=0 for one for each core`,
    });
  const context = policy?.nPositions;
  const maxNewTokens = sampling?.maxNewTokens ?? 0;
  if (context !== undefined && maxNewTokens >= context)
    problems.push({
      key: 'sampling.max_new_tokens',
      message: `sampling.max_new_tokens=${maxNewTokens} leaves no room in the policy's context of ${context} tokens`,
      remedy: 'give a smaller sampling.max_new_tokens, or a larger policy.n_positions',
    });
  if (savePath !== null && existsSync(savePath)) {
    const entries = readdirSync(savePath);
    const others = entries.filter((name) => !OF_A_START.test(name));
    // A run that was killed before it wrote its config into the folder has left only Hydra's record of its command line there.
    const isOurs = entries.includes(CONFIG_FILE) || entries.includes('.hydra');
    if (!isOurs && others.length > 0)
      problems.push({
        key: 'save_path',
        message: `save_path: the folder '${savePath}' contains other files (${others.slice(0, 3).join(', ')}${others.length > 3 ? ', …' : ''}) and no run`,
        remedy: 'give a new or empty folder, or the folder of a run to resume it',
      });
  }
  return problems;
}

/** Writes each problem with the file and the line in which its key was given. */
function textOf(problems: readonly ConfigProblem[], composition: Composition): string {
  return problems
    .flatMap(({ key, message, remedy }) => {
      const [origin] = key === undefined ? [] : composition.origin(key);
      const place = origin && placeText(origin.source, origin.line);
      return [message, ...(place === undefined ? [] : [`  in ${place}`]), ...(remedy === '' ? [] : [`  ${remedy}`])];
    })
    .join('\n');
}
