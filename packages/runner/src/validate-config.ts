// What must be true of a config before a run makes or loads anything.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { validate, type Composition, type JsonSchema } from '@bowyer/config';
import { isEnvName } from './env-schema.js';
import { configProblems, nothingToImitate } from './environments.js';
import { mayBeHubId } from './hub-models.js';
import { runConfigSchema, runConfigSchemaFor, toRunConfig, type RunConfig, type RunConfigYaml } from './run-config.js';

/** Refuses a config that the tasks could not run. */
export async function validateConfig(composition: Composition): Promise<void> {
  await validate(composition, schemaOf(composition));
  const problems = [
    ...(await modelProblems(composition)),
    ...frozenPolicy(composition),
    ...unreadCritic(composition),
    ...demonstrationProblems(composition),
    ...notBuilt(composition),
    ...otherEnvironment(composition),
    ...environmentProblems(composition),
    ...taskProblems(toRunConfig(composition.resolve() as unknown as RunConfigYaml)),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** The schema with the options of the environment that `env.name` names; an unknown name fails there with the known ones. */
export function schemaOf(composition: Composition): JsonSchema {
  const name = (composition.config.env as { name?: unknown } | null)?.name;
  return isEnvName(name) ? runConfigSchemaFor(name) : runConfigSchema;
}

/** ArCHer's `env_name` cannot choose the options that belong to an environment, only say again which it is. */
function otherEnvironment(composition: Composition): string[] {
  const [alias, name] = [composition.setting('env_name'), composition.setting('env.name')];
  if (alias === null || alias === name) return [];
  return [
    `env_name is ${String(alias)}, but the options of the node 'env' are those of ${String(name)}`,
    `  in ${placeOf(composition, 'env_name')}`,
    `  choose the environment with its options: env=${String(alias)}`,
  ];
}

/** Tasks that play episodes. */
const PLAYING: readonly RunConfig['task'][] = ['train', 'evaluate', 'replay', 'play', 'serve_env'];

function environmentProblems(composition: Composition): string[] {
  const config = toRunConfig(composition.resolve() as unknown as RunConfigYaml);
  if (!PLAYING.includes(config.task)) return [];
  return configProblems(config)
    .filter(({ key, unreadFor }) => unreadFor === undefined || !isOverridden(composition, key, unreadFor))
    .flatMap(({ key, message, remedy }) => [message, `  in ${placeOf(composition, key)}`, `  ${remedy}`]);
}

/** A file set the key for another choice than the one that the command line makes. */
const isOverridden = (composition: Composition, key: string, choice: string): boolean =>
  !isGivenByHand(composition, key) && isGivenByHand(composition, choice);

const isGivenByHand = (composition: Composition, key: string): boolean =>
  composition.origin(key)[0].source.startsWith('command line');

/** What a task needs and the config does not give. */
function taskProblems(config: RunConfig): string[] {
  const { task, checkpointPath, policyLm, input, output } = config;
  if (task === 'replay') {
    const lacking = Object.entries({ input, output }).find(([, file]) => file === null);
    if (lacking === undefined) return [];
    return [
      `task=replay needs the actions to play and a file to write: ${lacking[0]} is null`,
      '  give both: input=FILE.jsonl output=FILE.jsonl',
    ];
  }
  const imitates = task === 'demonstrations' || (task === 'train' && checkpointPath === null && policyLm === null);
  return imitates ? [nothingToImitate(config) ?? []].flat() : [];
}

/** Keys that name a model, each a folder in Hugging Face layout or a model of the hub. */
const MODEL_KEYS = ['model', 'checkpoint_path', 'policy_lm', 'critic_lm'];

async function modelProblems(composition: Composition): Promise<string[]> {
  const problems: string[] = [];
  for (const key of MODEL_KEYS) {
    const folder = composition.setting(key);
    if (typeof folder !== 'string' || existsSync(join(folder, 'config.json')) || mayBeHubId(folder)) continue;
    const place = `  in ${placeOf(composition, key)}`;
    const adapter = key === 'critic_lm' ? undefined : await adapterProblem(folder);
    if (adapter !== undefined) {
      if (adapter !== null) problems.push(`${key}: ${adapter}`, place);
      continue;
    }
    const what = existsSync(folder) ? `the folder '${folder}' holds no config.json` : `there is no folder '${folder}'`;
    problems.push(
      `${key}: ${what}`,
      place,
      '  give a model in Hugging Face layout: a folder with config.json, model.safetensors and tokenizer.json',
    );
  }
  return problems;
}

/**
 * What keeps an adapter from being loaded: its kind, or a base that is not a directory here. The compute stack is loaded for
 * this question alone.
 *
 * @returns undefined where the folder is no adapter
 */
async function adapterProblem(folder: string): Promise<string | null | undefined> {
  const { AdapterError, isAdapterDirectory, openAdapterDirectory } = await import('@bowyer/models');
  if (!isAdapterDirectory(folder)) return undefined;
  try {
    await openAdapterDirectory(folder);
    return null;
  } catch (error) {
    if (error instanceof AdapterError) return error.message;
    throw error;
  }
}

/** Frozen weights need something beside them to train. */
function frozenPolicy(composition: Composition): string[] {
  const [task, bits, lora] = ['task', 'quantization', 'use_lora'].map((key) => composition.setting(key));
  if (task !== 'train' || bits === 'none' || lora === true) return [];
  return [
    `quantization=${String(bits)}: quantised weights are frozen, so nothing would be trained`,
    `  in ${placeOf(composition, 'quantization')}`,
    '  write use_lora=true to train adapters beside them',
  ];
}

/** A checkpoint that the chosen critic would not look at. */
function unreadCritic(composition: Composition): string[] {
  const [task, agent, folder, kind] = ['task', 'agent_type', 'critic_lm', 'critic.kind'].map((key) =>
    composition.setting(key),
  );
  const learns = task === 'train' && ['archer', 'archer_llm', 'chai'].includes(String(agent));
  if (!learns || folder === null || kind !== 'line') return [];
  return [
    `critic_lm=${String(folder)}: the critic that reads lines is made from scratch and would not use it`,
    `  in ${placeOf(composition, 'critic_lm')}`,
    '  write critic=transformer or critic=roberta_base, or critic_lm=null',
  ];
}

function demonstrationProblems(composition: Composition): string[] {
  const key = 'demonstrations.path';
  const file = composition.setting(key);
  if (typeof file !== 'string' || existsSync(file)) return [];
  return [
    `${key}: there is no file '${file}'`,
    `  in ${placeOf(composition, key)}`,
    '  give a file of dialogues or episodes, or null for generated ones',
  ];
}

/** Keys of ArCHer that would change what is learnt. */
function notBuilt(composition: Composition): string[] {
  const why: Record<string, string> = {
    use_baseline: 'the token-level baseline is not built (ArCHer’s code never reads the key either)',
  };
  return Object.keys(why).flatMap((key) =>
    composition.setting(key) === true
      ? [`${key}=true: ${why[key]}`, `  in ${placeOf(composition, key)}`, `  write ${key}=false`]
      : [],
  );
}

function placeOf(composition: Composition, key: string): string {
  const [newest] = composition.origin(key);
  return newest.line === undefined ? newest.source : `${newest.source}:${newest.line}`;
}
