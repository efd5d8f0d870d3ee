// Determines the settings of a W&B run. The options of the run come first, then W&B's environment variables, then W&B's settings
// files.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './api-key.js';

export type Mode = 'online' | 'offline' | 'disabled';
export type Resume = 'allow' | 'must' | 'never' | null;

/**
 * The options that determine where and how a run is logged. For an option that is null or empty, the environment variable is
 * used.
 */
export interface PlaceOptions {
  mode: Mode | null;
  entity: string | null;
  project: string | null;
  runId: string | null;
  group: string | null;
  jobType: string | null;
  notes: string | null;
  tags: readonly string[];
}

export interface WandbSettings {
  mode: Mode;
  baseUrl: string;
  /** The user or team to which the run belongs; empty: the default one of the API key. */
  entity: string;
  project: string;
  /** The id of the W&B run; null: a new id is drawn */
  runId: string | null;
  name: string;
  notes: string;
  tags: string[];
  group: string;
  jobType: string;
  sweepId: string;
  /** The action if the server already has a run with this id, such as to continue it. */
  resume: Resume;
  /** The folder in which the folder `wandb` is created; null: the run's own folder. */
  dir: string | null;
}

/** The mode of this package for each value of the variable WANDB_MODE. */
const MODES: Readonly<Record<string, Mode>> = {
  online: 'online',
  run: 'online',
  offline: 'offline',
  dryrun: 'offline',
  disabled: 'disabled',
};
const RESUMES: Readonly<Record<string, Resume>> = {
  allow: 'allow',
  must: 'must',
  never: 'never',
  auto: 'allow',
  true: 'allow',
  false: null,
};
const MAX_PROJECT = 128;
const MAX_TAG = 64;

/**
 * Returns the settings of a run.
 *
 * @param run the project and name that are used if neither an option nor a variable gives one
 * @throws {Error} for a value that W&B would refuse
 */
export function settingsOf(
  options: PlaceOptions,
  run: { project: string; name: string },
  env: Environment,
): WandbSettings {
  const file = fileSettings(env);
  const settings: WandbSettings = {
    mode: options.mode ?? chosen('WANDB_MODE', env, MODES) ?? MODES[file.mode] ?? 'online',
    baseUrl: baseUrlOf(env, file),
    entity: options.entity ?? (env.WANDB_ENTITY || file.entity || ''),
    project: options.project ?? (env.WANDB_PROJECT || file.project || run.project),
    runId: options.runId ?? (env.WANDB_RUN_ID || null),
    name: env.WANDB_NAME || run.name,
    notes: options.notes ?? env.WANDB_NOTES ?? '',
    tags: [...options.tags, ...(env.WANDB_TAGS ?? '').split(',').map((tag) => tag.trim())].filter(Boolean),
    group: options.group ?? env.WANDB_RUN_GROUP ?? '',
    jobType: options.jobType ?? env.WANDB_JOB_TYPE ?? '',
    sweepId: env.WANDB_SWEEP_ID ?? '',
    resume: chosen('WANDB_RESUME', env, RESUMES) ?? null,
    dir: env.WANDB_DIR || null,
  };
  refuse(settings);
  return settings;
}

export const baseUrlOf = (env: Environment, file = fileSettings(env)): string =>
  (env.WANDB_BASE_URL || file.base_url || 'https://api.wandb.ai').replace(/\/+$/, '');

function chosen<T>(variable: string, env: Environment, words: Readonly<Record<string, T>>): T | undefined {
  const word = env[variable]?.toLowerCase();
  if (!word) return undefined;
  if (Object.hasOwn(words, word)) return words[word];
  const hint = word === 'shared' ? ': several writers of one run are not supported here' : '';
  throw new Error(`${variable}=${word} is not known${hint}\n  write one of ${Object.keys(words).join(', ')}`);
}

function refuse({ project, runId, tags, baseUrl }: WandbSettings): void {
  if (project.length > MAX_PROJECT || /[/\\#?%:]/.test(project))
    throw new Error(
      `W&B does not accept the project name '${project}'\n  it may have ${MAX_PROJECT} characters, and must not contain / \\ # ? % :`,
    );
  if (runId !== null && (runId.trim() !== runId || runId === '' || /[:;,#?/'\\]/.test(runId)))
    throw new Error(
      `W&B does not accept the run id '${runId}'\n  it must not begin or end with a space, nor contain any of : ; , # ? / '`,
    );
  const longTag = tags.find((tag) => tag.length > MAX_TAG);
  if (longTag !== undefined)
    throw new Error(`W&B does not accept the tag '${longTag}'\n  a tag has at most ${MAX_TAG} characters`);
  if (!URL.canParse(baseUrl))
    throw new Error(`WANDB_BASE_URL=${baseUrl} is not an address\n  write it as https://api.wandb.ai`);
}

/**
 * Returns the section `default` of W&B's settings files. The file below the folder WANDB_DIR (by default the working folder)
 * overrides the user's file.
 */
function fileSettings(env: Environment): Record<string, string> {
  const home = env.WANDB_CONFIG_DIR || join(env.HOME ?? homedir(), '.config', 'wandb');
  const files = [join(home, 'settings'), join(env.WANDB_DIR || '.', 'wandb', 'settings')];
  return Object.assign({}, ...files.map(section)) as Record<string, string>;
}

function section(path: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return {};
  }
  const lines = text.split('\n').map((line) => line.trim());
  const start = lines.indexOf('[default]');
  const end = lines.findIndex((line, i) => i > start && line.startsWith('['));
  const own = start < 0 ? [] : lines.slice(start + 1, end < 0 ? undefined : end);
  const pairs = own.map((line) => /^([\w.]+)\s*=\s*(.*)$/.exec(line)).filter((match) => match !== null);
  return Object.fromEntries(pairs.map(([, key, value]) => [key, value]));
}

/**
 * Returns the intervals at which the sender makes requests, and its timeouts, in milliseconds. Environment variables in the style
 * of W&B's private ones, which are in seconds, can shorten them in tests.
 */
export function paceOf(env: Environment) {
  const seconds = (name: string, otherwise: number) => {
    const given = Number(env[`WANDB_X_${name}`] ?? NaN);
    return 1000 * (Number.isFinite(given) && given >= 0 ? given : otherwise);
  };
  return {
    transmitMs: seconds('FILE_STREAM_TRANSMIT_INTERVAL', 15),
    heartbeatMs: seconds('FILE_STREAM_HEARTBEAT_INTERVAL', 30),
    waitMinMs: seconds('FILE_STREAM_RETRY_WAIT_MIN_SECONDS', 2),
    waitMaxMs: seconds('FILE_STREAM_RETRY_WAIT_MAX_SECONDS', 60),
    streamTimeoutMs: seconds('FILE_STREAM_TIMEOUT_SECONDS', 180),
    graphqlTimeoutMs: seconds('GRAPHQL_TIMEOUT_SECONDS', 30),
    agentMs: seconds('AGENT_HEARTBEAT_INTERVAL', 5),
    configMs: seconds('CONFIG_DEBOUNCE_SECONDS', 5),
  };
}
