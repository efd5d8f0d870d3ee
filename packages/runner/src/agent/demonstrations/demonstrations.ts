// Loads the demonstrations of a run: the episodes of a file, or episodes that the environment's built-in expert plays.
import { existsSync, readFileSync } from 'node:fs';
import { demonstrationOf, type DemonstrationSet, type ConfigProblem } from '@bowyer/core';
import { EnvContractError, EnvFaultError, environmentInfo, type DemonstrationSource } from '@bowyer/envs';
import type { EnvConfig } from '../environment/environment-keys.js';
import type { AgentConfig } from '../keys/agent-keys.js';
import { environmentOptions, type EnvironmentConfig } from '../environment/environment.js';

import { pipeProblem, isConversationFile } from '@bowyer/conversations';
import { readEpisodes } from './read-episodes.js';

export type DemonstrationConfig = EnvironmentConfig &
  Pick<AgentConfig, 'seed'> & {
    /** `format` and `split` are options of a file of conversations; a file of episodes has neither. */
    demonstrations: AgentConfig['demonstrations'] & { format?: string | null; split?: string | null };
  };

/** Throws where the file or the expert is missing. */
export async function makeDemonstrations(config: DemonstrationConfig): Promise<DemonstrationSet> {
  const { path } = config.demonstrations;
  const { name, demonstrations: source } = environmentInfo(config.env.name);
  if (path !== null && /\.jsonl(\.gz)?$/.test(path)) return readDemonstrations(path);
  if (path !== null) {
    if (source?.read) return source.read(path);
    throw new Error(`demonstrations.path: '${path}' is not a .jsonl file, the only kind that ${name} reads`);
  }
  const problem = demonstrationsProblem(config.env);
  if (problem !== null) throw new Error(`${problem.message}\n  ${problem.remedy}`);
  try {
    return await source!.make(environmentOptions(config), requestOf(config, source!));
  } catch (error) {
    // The message of the error has the class of the environment; the name that it has in the config is added.
    if (error instanceof EnvContractError || error instanceof EnvFaultError)
      throw new Error(`the demonstrations of ${name} cannot be played: ${error.message}`, { cause: error.cause });
    throw error;
  }
}

/** Returns the options in the config node `demonstrations` that the environment's expert reads. */
function requestOf({ seed, demonstrations }: DemonstrationConfig, { schema }: DemonstrationSource) {
  const given: Readonly<Record<string, unknown>> = { ...demonstrations };
  const ofExpert = Object.keys(schema.properties).map((key) => [key, given[key]]);
  return { seed, count: demonstrations.count, ...Object.fromEntries(ofExpert) };
}

async function readDemonstrations(path: string): Promise<DemonstrationSet> {
  const { episodes, notes } = await readEpisodes(path);
  const records = episodes.map(({ episode }) => episode);
  const turns = records.reduce((sum, record) => sum + ('reset' in record ? record.steps : record.turns).length, 0);
  const meanReturn = episodes.reduce((sum, { episodicReturn }) => sum + episodicReturn, 0) / episodes.length;
  return {
    demonstrations: records.map((record) => ('reset' in record ? demonstrationOf(record) : record)),
    records,
    summary: [`${episodes.length} episodes, ${turns} turns, mean return ${meanReturn.toFixed(2)}`, ...notes].join('; '),
    file: { name: 'demonstrations.jsonl', text: () => readFileSync(path, 'utf8') },
  };
}

/** Returns null if the environment's expert can play demonstrations. */
export function demonstrationsProblem(env: EnvConfig): ConfigProblem | null {
  const { name, demonstrations } = environmentInfo(env.name);
  const { name: _, ...options } = env;
  const problem =
    demonstrations === undefined
      ? `${name} has no demonstrations of its own, so there is nothing to imitate`
      : demonstrations.problem?.(options);
  if (!problem) return null;
  return {
    message: problem,
    remedy:
      'give a policy with policy.model=FOLDER, or episodes with demonstrations.path=FILE.jsonl\n' +
      `  to play some yourself: npx bowyer --config-name play env=${name} task.output=FILE.jsonl`,
  };
}

export function fileProblem(path: string): ConfigProblem | null {
  if (existsSync(path)) return pipeProblem('demonstrations.path', path);
  return {
    key: 'demonstrations.path',
    message: `demonstrations.path: there is no file '${path}'`,
    remedy: 'give a file of dialogues or episodes, or null for generated ones',
  };
}

/** Returns whether the demonstrations are conversations of a file rather than episodes. */
export const learnsFromConversations = ({ demonstrations }: Pick<AgentConfig, 'demonstrations'>): boolean =>
  isConversationFile(demonstrations.path);
