// Plays rollouts on a second device with a copy of the policy while the policy learns on the first one (asynchronous training:
// docs/asynchronous.md).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AsynchronousRollouts,
  Collector,
  LockStepRollouts,
  type Agent,
  type AnyAlgorithm,
  type Metrics,
  type RolloutsAhead,
} from '@bowyer/algorithms';
import {
  writeFileAtomically,
  type OptionsOf,
  type Trajectory,
  fromRecord,
  toRecord,
  type TrajectoryRecord,
  readJsonl,
} from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import type { rolloutNode } from '../keys/play-keys.js';
import { deviceOf, type DeviceConfig } from '../policy/device-choice.js';
import { recipeOptions, type PlayConfig } from './play-options.js';
import { loadPolicy, type PolicyConfig } from '../policy/policy-setup.js';
import { samplesIntegers, type SamplingPrecisionConfig } from './sampling-precision.js';

type RolloutKeys = OptionsOf<typeof rolloutNode>;
/** The config node `rollout`; a synchronous run has only its key `mode`. */
export type RolloutConfig = Pick<RolloutKeys, 'mode'> & Partial<RolloutKeys>;

/** A source of rollouts for asynchronous runs, in which rollouts are played during the updates. */
export interface OpenRolloutsAhead extends RolloutsAhead {
  /** Returns the metrics of the rollout from which the policy has learned last. */
  takeMetrics(): Metrics;
  /** Returns the seconds that the learner and the player of rollouts have waited for each other since the last call, by name. */
  takeSeconds(): Record<string, number>;
  /** Writes the episodes that were played and not yet learned from into the folder of a checkpoint. */
  save(folder: string): Promise<void>;
}

type AheadConfig = PlayConfig &
  DeviceConfig &
  PolicyConfig &
  SamplingPrecisionConfig & { rollout?: RolloutConfig; algorithm: { name: string; iterations?: number } };

interface AheadRun {
  unit: AnyAlgorithm;
  agent: Agent;
  /** The folder of the policy's weights from which the copy is loaded: the initial ones, or those of a checkpoint. */
  policyFolder: string;
  /** The folder of the checkpoint that the run resumes from; null for a new run. */
  checkpoint: string | null;
  firstIteration: number;
}

/**
 * Opens the source of rollouts of an asynchronous run; returns undefined in a synchronous run, whose policy plays the rollouts
 * itself.
 */
export async function openRolloutsAhead(
  config: AheadConfig,
  run: AheadRun,
): Promise<(OpenRolloutsAhead & AsyncDisposable) | undefined> {
  const { rollout } = config;
  if (rollout === undefined || rollout.mode === 'synchronous') return undefined;
  const { unit, agent, policyFolder, checkpoint, firstIteration } = run;
  const device = await openDevice(
    deviceOf({ device: { ...config.device, threads: rollout.threads! || config.device.threads } }),
  );
  try {
    const copy = await loadPolicy(policyFolder, config, device, 'train');
    const player = { ...agent, policy: copy, samplesIntegers: samplesIntegers(config) };
    const openPlayer = unit.openPlayer(player, recipeOptions(config, copy.tokenizer));
    const collector = new Collector(agent.policy, copy, openPlayer, firstIteration);
    const settings = { iterations: config.algorithm.iterations!, maxStaleness: rollout.maxStaleness!, firstIteration };
    const found = checkpoint === null ? null : await readPlayed(checkpoint);
    const source =
      rollout.mode === 'lock_step' ? lockStep(collector, settings, found) : asynchronous(collector, settings, found);
    return Object.assign(source, {
      async [Symbol.asyncDispose]() {
        await source
          .close()
          .then(() => copy.release())
          .finally(() => device.close());
      },
    });
  } catch (error) {
    await device.close();
    throw error;
  }
}

type Settings = ConstructorParameters<typeof LockStepRollouts>[1];
type Closable = OpenRolloutsAhead & { close(): Promise<void> };

function lockStep(collector: Collector, settings: Settings, found: Played | null): Closable {
  const played = new Map((found?.groups ?? []).map(({ group, items }) => [group, items] as const));
  const source = new LockStepRollouts(collector, settings, played);
  const save = async (folder: string) => {
    const groups = [...(await source.played())].map(([group, items]) => ({ group, version: 0, items }));
    await writePlayed(folder, { next: 0, again: [], groups });
  };
  return Object.assign(source, { save });
}

function asynchronous(collector: Collector, settings: Settings, found: Played | null): Closable {
  const source = new AsynchronousRollouts(collector, settings, found && { ...found, finished: found.groups });
  const save = async (folder: string) => {
    const { state } = source;
    if (state !== null) await writePlayed(folder, { ...state, groups: state.finished });
  };
  return Object.assign(source, { save });
}

/**
 * The episodes that were played and not yet learned from, as a checkpoint stores them. A group has the episodes of one task; if
 * all episodes are played in lock step, it has those of one rollout.
 */
interface Played {
  next: number;
  again: number[];
  groups: { group: number; version: number; items: Trajectory[] }[];
}

const PLAYED = 'played.json';
const EPISODES = 'played-episodes.jsonl';

async function writePlayed(
  folder: string,
  {
    next,
    again,
    groups,
  }: Omit<Played, 'groups'> & { groups: readonly { group: number; version: number; items: readonly Trajectory[] }[] },
): Promise<void> {
  const sizes = groups.map(({ group, version, items }) => ({ group, version, episodes: items.length }));
  const lines = groups.flatMap(({ group, items }) => items.map((item) => JSON.stringify(toRecord(item, group))));
  await writeFileAtomically(join(folder, EPISODES), lines.map((line) => `${line}\n`).join(''));
  await writeFileAtomically(join(folder, PLAYED), JSON.stringify({ next, again, groups: sizes }));
}

/**
 * Reads the episodes in a checkpoint that were played and not yet learned from.
 *
 * @returns null where the checkpoint was written before any episode was played
 */
async function readPlayed(folder: string): Promise<Played | null> {
  const text = await readFile(join(folder, PLAYED), 'utf8').catch(() => null);
  if (text === null) return null;
  const { next, again, groups } = JSON.parse(text) as Omit<Played, 'groups'> & {
    groups: { group: number; version: number; episodes: number }[];
  };
  const episodes: Trajectory[] = [];
  await readJsonl<TrajectoryRecord>(join(folder, EPISODES), (record) => episodes.push(fromRecord(record)));
  let from = 0;
  return {
    next,
    again,
    groups: groups.map(({ group, version, episodes: count }) => ({
      group,
      version,
      items: episodes.slice(from, (from += count)),
    })),
  };
}
