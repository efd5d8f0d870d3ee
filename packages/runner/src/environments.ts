// What a run needs of its environment beyond playing it: demonstrations, and what is known of it.
import { makeEnv, remoteOnlyEnvs, type Env, type EnvParts, type ResetResult } from '@bowyer/envs';
import { knowledgeOf, type DemonstrationSet } from './environments/knowledge.js';
import { isConversationFile } from './conversations.js';
import { demonstrationsOf, readEpisodes, recordedReturn } from './episode-record.js';
import type { RunConfig } from './run-config.js';

/** @returns a maker of environments as the config wants them */
export function environmentOf(config: RunConfig, parts: EnvParts): () => Env {
  const options = optionsOf(config);
  return () => makeEnv(config.env.name, options, parts);
}

/** What an environment is made with, beside its parts. */
export const environmentOptions = (config: RunConfig): Record<string, unknown> => optionsOf(config);

function optionsOf(config: RunConfig): Record<string, unknown> {
  const { name, ...options } = config.env;
  const archerOptions = knowledgeOf(name).archerOptions?.(config);
  return { ...options, ...archerOptions, ...(playsOnAgentGym(config) && { baseUrl: serverOf(config) }) };
}

/** Whether episodes are played on one of AgentGym's servers. */
const playsOnAgentGym = ({ env: { name, backend } }: RunConfig): boolean =>
  backend === 'agentgym' || (backend === undefined && remoteOnlyEnvs.some((remote) => remote === name));

/** The address under either of its names, or ArCHer's for a shop's; null where none is given. */
function serverOf({ env, envServerBase, envLoadPath }: RunConfig): string | null {
  return (env.baseUrl as string | null) ?? envServerBase ?? (env.name === 'webshop' ? envLoadPath : null);
}

/** What keeps an environment on a server from being reached: no address, or two; empty where there is nothing. */
export function serverProblem(config: RunConfig): string[] {
  const { env, envServerBase } = config;
  const isRemote = playsOnAgentGym(config);
  if (isRemote && envServerBase !== null && env.baseUrl !== null && env.baseUrl !== envServerBase) {
    return [
      `env_server_base is ${envServerBase}, but env.base_url is ${String(env.baseUrl)}`,
      '  they are two names of the same address: give one of them',
    ];
  }
  if (!(isRemote || env.backend === 'site') || serverOf(config) !== null) return [];
  return [
    `env.base_url is null: ${env.name} is played on a server${env.backend === undefined ? '' : ` with env.backend=${String(env.backend)}`}, and none is named`,
    '  give its address: env.base_url=http://HOST:PORT, or env_server_base=http://HOST:PORT as in AgentGym',
  ];
}

/** The environment as recordings of its engine were made. */
export function replayEnvironment(config: RunConfig): Env {
  const { name } = config.env;
  return makeEnv(name, { ...optionsOf(config), ...knowledgeOf(name).replayOptions });
}

/** What the engine itself said, where an observation holds more than that. */
export function engineText({ env }: RunConfig, result: ResetResult): string {
  return knowledgeOf(env.name).engineText?.(result) ?? result.observation;
}

/** Answers that a word-level tokenizer keeps as one token each, and that an agent can never write. */
export function answerTokens(config: RunConfig): readonly string[] {
  const { answerTokens: tokens = [] } = knowledgeOf(config.env.name);
  return typeof tokens === 'function' ? tokens(config) : tokens;
}

/** Texts whose words a word-level tokenizer knows beside those of the demonstrations. */
export const vocabularyTexts = (config: RunConfig): Iterable<string> =>
  knowledgeOf(config.env.name).vocabulary?.(config) ?? [];

/** Expert play from a file or from the environment's own expert. */
export async function makeDemonstrations(config: RunConfig): Promise<DemonstrationSet> {
  const { path } = config.demonstrations;
  if (path?.endsWith('.jsonl')) return recordedDemonstrations(path);
  const { demonstrations } = knowledgeOf(config.env.name);
  if (demonstrations === undefined) throw new Error(nothingToImitate(config)!);
  return demonstrations(config);
}

/** What a run from demonstrations lacks; null where it has them. */
export function nothingToImitate({ env, demonstrations }: RunConfig): string | null {
  if (demonstrations.path?.endsWith('.jsonl') || isConversationFile(demonstrations.path)) return null;
  if (knowledgeOf(env.name).demonstrations !== undefined) return null;
  return (
    `${env.name} has no demonstrations of its own, so there is nothing to warm-start from\n` +
    '  give a policy with policy_lm=FOLDER, or episodes with demonstrations.path=FILE.jsonl\n' +
    `  to play some yourself: run --config-name play env=${env.name} output=FILE.jsonl`
  );
}

async function recordedDemonstrations(path: string): Promise<DemonstrationSet> {
  const records = await readEpisodes(path);
  const meanReturn = records.reduce((sum, record) => sum + recordedReturn(record), 0) / records.length;
  return {
    demonstrations: records.flatMap(demonstrationsOf),
    summary: `${records.length} episodes, mean return ${meanReturn.toFixed(2)}`,
    file: {
      name: 'demonstrations.jsonl',
      text: () => records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    },
  };
}

/** What of the `env` node decides a warm start. */
export function warmStartOptions({ env }: RunConfig): Record<string, unknown> {
  return knowledgeOf(env.name).warmStartOptions?.(env) ?? env;
}

/** Expected return of the best player with the demonstrator's questions; null where that cannot be computed. */
export function optimalReturnOf(config: RunConfig): number | null {
  return knowledgeOf(config.env.name).optimalReturn?.(config) ?? null;
}

/** ArCHer's keys that this environment does not read, one line each. */
export function unreadKeys(config: RunConfig): string[] {
  const { env, envIdx, envLoadPath, envServerBase } = config;
  const { archerKeys = [] } = knowledgeOf(env.name);
  const read = typeof archerKeys === 'function' ? archerKeys(config) : archerKeys;
  return [
    envIdx !== null &&
      !read.includes('envIdx') &&
      `env_idx: ${env.name} has no list to choose from; nothing is changed`,
    envLoadPath !== null && !read.includes('envLoadPath') && `env_load_path: ${env.name} loads nothing from there`,
    envServerBase !== null &&
      !playsOnAgentGym(config) &&
      `env_server_base: ${env.name} is not played on one of AgentGym's servers; env.backend=agentgym would be`,
  ].filter((line) => line !== false);
}
