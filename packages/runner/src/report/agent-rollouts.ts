// Reads the recorded rollouts of a run's agent once: statistics of all, and complete rollouts for those that a page shows.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRollouts, type RecordedRollout } from '@bowyer/rollouts';
import type { Dialogue } from '@bowyer/views';
import { CALLS_FOLDER } from '../run/calls-folder.js';
import { callTree, rolloutOf } from './agent-tree.js';
import { auditedRollout, type AuditedRollout } from './reward-audit.js';
import type { StoredEpisode } from './turns.js';

export interface AgentRollouts {
  /** The rollouts of training, in the order of time. */
  audited: AuditedRollout[];
  /** The requested rollouts, by name. */
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
  // A run that was killed plays its last iteration again under the same names. The policy has learned from the later rollouts.
  const audited = new Map<string, AuditedRollout>();
  const found = new Map<string, RecordedRollout>();
  for await (const rollout of readRollouts(folder)) {
    const name = wanted.has(rollout.id) ? rollout.id : nameOf(rollout.id);
    if (wanted.has(name)) found.set(name, rollout);
    if (isTraining(name)) audited.set(name, auditedRollout(rollout));
  }
  return { audited: [...audited.values()], found };
}

/** Removes the suffix that keeps sets of rollouts with the same name apart. */
const nameOf = (id: string): string => id.replace(/-[0-9a-z]+$/, '');

const isTraining = (name: string): boolean => !/^(eval|test)-/.test(name);

/** Returns the episode with the recorded calls that it consists of, where there are any. */
export function withCalls(dialogue: Dialogue, episode: StoredEpisode, rollouts: AgentRollouts | null): Dialogue {
  const rollout = rollouts?.found.get(rolloutOf(episode) ?? '');
  return rollout ? { ...dialogue, tree: callTree(rollout, episode) } : dialogue;
}
