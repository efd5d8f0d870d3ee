// Creates a W&B sweep (a search for hyperparameters that W&B's server controls), and registers an agent, which gets trials from
// the sweep.
import { Rng } from '@bowyer/core';
import { findKey, pagesOf, type Environment } from './place/api-key.js';
import type { WandbClient } from './server/client.js';
import { baseUrlOf, paceOf } from './place/settings.js';

const UPSERT_SWEEP = `mutation UpsertSweep($config: String, $projectName: String, $entityName: String) {
  upsertSweep(input: {config: $config, projectName: $projectName, entityName: $entityName}) {
    sweep { name project { name entity { name } } } configValidationWarnings } }`;
const CREATE_AGENT = `mutation CreateAgent($host: String!, $projectName: String, $entityName: String, $sweep: String!) {
  createAgent(input: {host: $host, projectName: $projectName, entityName: $entityName, sweep: $sweep}) { agent { id } } }`;
const HEARTBEAT = `mutation Heartbeat($id: ID!, $metrics: JSONString, $runState: JSONString) {
  agentHeartbeat(input: {id: $id, metrics: $metrics, runState: $runState}) { agent { id } commands } }`;

/** The names by which W&B's server finds a sweep. */
export interface SweepPlace {
  entity: string | null;
  project: string;
  id: string;
}

/** Parses the name of a sweep: `ID`, `PROJECT/ID` or `ENTITY/PROJECT/ID`. @throws for other forms */
export function parseSweep(text: string, env: Environment): SweepPlace {
  const parts = text.split('/');
  if (parts.length > 3 || parts.some((part) => part === ''))
    throw new Error(`'${text}' is not a sweep of W&B\n  write ID, PROJECT/ID or ENTITY/PROJECT/ID`);
  const [id, project, entity] = parts.reverse();
  return { id, project: project ?? env.WANDB_PROJECT ?? 'uncategorized', entity: entity ?? env.WANDB_ENTITY ?? null };
}

export interface SweepConfig {
  method: 'grid' | 'random' | 'bayes';
  metric: { name: string; goal: 'maximize' | 'minimize' };
  parameters: Readonly<Record<string, object>>;
  /** The command that W&B's own agents run for a trial, with W&B's placeholders for its arguments. */
  command: readonly string[];
  run_cap?: number;
}

/** Creates a sweep. @returns its names, the address of its page, and the server's warnings about the config */
export async function createSweep(
  config: SweepConfig,
  { entity, project }: { entity: string | null; project: string },
  env: Environment,
): Promise<{ place: SweepPlace; url: string; warnings: string[] }> {
  return withClient(env, async (client) => {
    const variables = { config: JSON.stringify(config), projectName: project, entityName: entity }; // JSON is valid YAML
    // The request is sent only once, since a second attempt after a lost answer might create a second sweep
    const { upsertSweep } = await client.graphql<UpsertSweepAnswer>(UPSERT_SWEEP, variables, { onlyOnce: true });
    const { name: id, project: there } = upsertSweep.sweep;
    const place = { id, project: there.name, entity: there.entity.name };
    const url = [pagesOf(baseUrlOf(env), env), place.entity, place.project, 'sweeps', id].join('/');
    return { place, url, warnings: upsertSweep.configValidationWarnings ?? [] };
  });
}

interface UpsertSweepAnswer {
  upsertSweep: {
    sweep: { name: string; project: { name: string; entity: { name: string } } };
    configValidationWarnings: string[] | null;
  };
}

export interface SweepTrial {
  type: 'run' | 'resume';
  run_id: string;
  args?: Readonly<Record<string, { value: unknown }>>;
}

/** A command of the server to an agent: to run a trial, to stop one, or to exit. */
export type SweepCommand = SweepTrial | { type: 'stop'; run_id: string } | { type: 'exit' };

export interface SweepAgent {
  /**
   * Asks the server for the next command; undefined if there is nothing to do now.
   *
   * @param running ids of the trials that are running
   * @returns null if the sweep was deleted
   */
  heartbeat(running: readonly string[]): Promise<SweepCommand | null | undefined>;
  /** The time between two requests of the agent for a command, in milliseconds. */
  intervalMs: number;
}

/** Registers an agent of a sweep at the server, with which `work` then gets trials. */
export function asAgent<T>(
  place: SweepPlace,
  { env, host }: { env: Environment; host: string },
  work: (agent: SweepAgent) => Promise<T>,
): Promise<T> {
  return withClient(env, async (client) => {
    const variables = { host, projectName: place.project, entityName: place.entity, sweep: place.id };
    const { createAgent } = await client.graphql<{ createAgent: { agent: { id: string } } }>(CREATE_AGENT, variables);
    const { id } = createAgent.agent;
    return work({
      intervalMs: paceOf(env).agentMs,
      heartbeat: async (running) => {
        const runState = JSON.stringify(Object.fromEntries(running.map((run) => [run, true])));
        try {
          const answer = await client.graphql<{ agentHeartbeat: { commands: string } }>(HEARTBEAT, {
            id,
            metrics: '{}',
            runState,
          });
          return (JSON.parse(answer.agentHeartbeat.commands) as SweepCommand[])[0];
        } catch (error) {
          if ((error as { status?: number }).status === 404) return null;
          throw error;
        }
      },
    });
  });
}

async function withClient<T>(env: Environment, work: (client: WandbClient) => Promise<T>): Promise<T> {
  const { WandbClient } = await import('./server/client.js');
  const baseUrl = baseUrlOf(env);
  const rng = Rng.forPurpose(process.pid, 'retries of W&B'); // only to vary the times between attempts
  const client = new WandbClient({
    baseUrl,
    key: findKey(baseUrl, env),
    env,
    ...paceOf(env),
    random: () => rng.uniform(),
    onRetry: () => {},
    signal: new AbortController().signal,
  });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
