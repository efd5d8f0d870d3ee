// The rollouts that a run of an agent has recorded, read once: figures of all, and whole those that a page shows.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRollouts, type RecordedRollout } from '@bowyer/rollouts';
import type { Dialogue } from '@bowyer/views';
import { CALLS_FOLDER } from '../run/calls-folder.js';
import { callTree, rolloutOf } from './agent-tree.js';
import { auditedRollout, type AuditedRollout } from './reward-audit.js';
import type { StoredEpisode } from './turns.js';

export interface AgentRollouts {
  /** Those of training, in the order of time. */
  audited: AuditedRollout[];
  /** Those that were asked for, by name. */
  found: Map<string, RecordedRollout>;
}

/**
 * Reads the rollouts of agents.
 *
 * @returns null where the run has recorded none
 */
export async function readAgentRollouts(directory: string, wanted: ReadonlySet<string>): Promise<AgentRollouts | null> {
  const folder = join(directory, CALLS_FOLDER);
  if (!existsSync(folder)) return null;
  // A run that was killed plays its last iteration again under the same names: the later one is the one that was learned from.
  const audited = new Map<string, AuditedRollout>();
  const found = new Map<string, RecordedRollout>();
  for await (const rollout of readRollouts(folder)) {
    const name = wanted.has(rollout.id) ? rollout.id : nameOf(rollout.id);
    if (wanted.has(name)) found.set(name, rollout);
    if (isTraining(name)) audited.set(name, auditedRollout(rollout));
  }
  return { audited: [...audited.values()], found };
}

/** Returns the name without the stamp by which sets of the same name are kept apart. */
const nameOf = (id: string): string => id.replace(/-[0-9a-z]+$/, '');

const isTraining = (name: string): boolean => !/^(eval|test)-/.test(name);

/** Returns the episode with the calls that it was made of, where they are recorded. */
export function withCalls(dialogue: Dialogue, episode: StoredEpisode, rollouts: AgentRollouts | null): Dialogue {
  const rollout = rollouts?.found.get(rolloutOf(episode) ?? '');
  return rollout ? { ...dialogue, tree: callTree(rollout, episode) } : dialogue;
}
