// A run's environment, made and asked as its config says. What is known of each environment is its unit in @bowyer/envs.
import { demonstrationSetOf, type DemonstrationSet } from '@bowyer/core';
import {
  environmentInfo,
  environmentProblems,
  makeEnv,
  optionsWithKeys,
  type AnyEnvironment,
  type ConfigProblem,
  type Env,
  type EnvParts,
  type ResetResult,
} from '@bowyer/envs';
import { isConversationFile } from './conversations.js';
import { readEpisodes } from './read-episodes.js';
import type { RunConfig } from './run-config.js';

/** @returns a maker of environments as the config wants them */
export function environmentOf(config: RunConfig, parts: EnvParts): () => Env {
  const options = environmentOptions(config);
  return () => makeEnv(config.env.name, options, parts);
}

/** What an environment is made with, beside its parts. */
export function environmentOptions(config: RunConfig): Record<string, unknown> {
  const { name, ...options } = config.env;
  return optionsWithKeys(name, options, outerKeys(config));
}

/** Keys outside the `env` node that may be another name of an option. */
const outerKeys = ({ envIdx, envLoadPath, envServerBase, webshopLower, webshopUpper }: RunConfig) => ({
  env_idx: envIdx,
  env_load_path: envLoadPath,
  env_server_base: envServerBase,
  webshop_lower: webshopLower,
  webshop_upper: webshopUpper,
});

const unitOf = ({ env }: RunConfig): AnyEnvironment => environmentInfo(env.name);

/** What of the config cannot be played, or would not be read. */
export function configProblems(config: RunConfig): ConfigProblem[] {
  const { name, ...options } = config.env;
  return environmentProblems(name, options, outerKeys(config));
}

/** The environment as recordings of its engine were made. */
export const replayEnvironment = (config: RunConfig): Env =>
  makeEnv(config.env.name, { ...environmentOptions(config), ...unitOf(config).replayOptions });

/** What the engine itself said, where an observation contains more than that. */
export const engineText = (config: RunConfig, result: ResetResult): string =>
  unitOf(config).engineText?.(result) ?? result.observation;

/** Answers that a word-level tokenizer keeps as one token each, and that an agent can never write. */
export const answerTokens = (config: RunConfig): readonly string[] =>
  unitOf(config).answerTokens?.(environmentOptions(config)) ?? [];

/** Texts whose words a word-level tokenizer knows beside those of the demonstrations. */
export const vocabularyTexts = (config: RunConfig): Iterable<string> =>
  unitOf(config).vocabulary?.(environmentOptions(config)) ?? [];

/** Expert play from a file or from the environment's own expert. */
export async function makeDemonstrations(config: RunConfig): Promise<DemonstrationSet> {
  const { path, count } = config.demonstrations;
  if (path?.endsWith('.jsonl')) return demonstrationSetOf(await readEpisodes(path));
  const problem = nothingToImitate(config);
  if (problem !== null) throw new Error(problem);
  const { demonstrations } = unitOf(config);
  if (path !== null) return demonstrations!.read!(path);
  const request = { ...expertOptions(config), count, seed: config.seed };
  return demonstrations!.make(environmentOptions(config), request);
}

/** Keys of the `demonstrations` node that belong to the environment's expert. */
function expertOptions(config: RunConfig): Record<string, unknown> {
  const known = Object.keys(unitOf(config).demonstrations?.schema.properties ?? {});
  return Object.fromEntries(Object.entries(config.demonstrations).filter(([key]) => known.includes(key)));
}

/** What a run from demonstrations lacks; null where it has them. */
export function nothingToImitate(config: RunConfig): string | null {
  const { path } = config.demonstrations;
  const { name } = config.env;
  if (path?.endsWith('.jsonl') || isConversationFile(path)) return null;
  const { demonstrations } = unitOf(config);
  if (demonstrations === undefined)
    return (
      `${name} has no demonstrations of its own, so there is nothing to warm-start from\n` +
      '  give a policy with policy_lm=FOLDER, or episodes with demonstrations.path=FILE.jsonl\n' +
      `  to play some yourself: npx bowyer --config-name play env=${name} output=FILE.jsonl`
    );
  if (path !== null)
    return demonstrations.read === undefined
      ? `demonstrations.path: '${path}' is not a .jsonl file, the only kind that ${name} has`
      : null;
  const problem = demonstrations.problem?.(environmentOptions(config)) ?? null;
  if (problem === null) return null;
  return `${problem}\n  give a file with demonstrations.path=FILE.jsonl, or a policy with policy_lm=FOLDER`;
}

/** What of the `env` node decides a warm start. */
export function warmStartOptions(config: RunConfig): Record<string, unknown> {
  const independent: readonly string[] = unitOf(config).demonstrations?.independentOf ?? [];
  const options = { ...config.env, ...environmentOptions(config) };
  return Object.fromEntries(Object.entries(options).filter(([key]) => !independent.includes(key)));
}

/** Expected return of the best player with the demonstrator's questions; null where that cannot be computed. */
export const optimalReturnOf = (config: RunConfig): number | null =>
  unitOf(config).optimalReturn?.(environmentOptions(config), expertOptions(config)) ?? null;
