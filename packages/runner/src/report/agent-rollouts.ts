// Reads the recorded rollouts of a user's agent from the folder of its run, once for all parts of the report: statistics of every
// training rollout, and the complete rollouts that the page shows.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRollouts, type RecordedRollout } from '@bowyer/rollouts';
import type { Dialogue } from '@bowyer/views';
import { CALLS_FOLDER } from '../run/calls-folder.js';
import { callTree, rolloutOf } from './agent-tree.js';
import { auditedRollout, type AuditedRollout } from './reward-audit.js';
import type { StoredEpisode } from './turns.js';

export interface AgentRollouts {
  /** The statistics of each training rollout, in the order of time. */
  audited: AuditedRollout[];
  /** The complete rollouts whose names were requested, by name. */
  found: Map<string, RecordedRollout>;
}

/** Returns null where the run has recorded no rollouts. */
export async function readAgentRollouts(directory: string, wanted: ReadonlySet<string>): Promise<AgentRollouts | null> {
  const folder = join(directory, CALLS_FOLDER);
  if (!existsSync(folder)) return null;
  // A run that is resumed after a kill plays its last iteration again under the same names. The later rollout of a name is kept,
  // since the policy has learned from it.
  const audited = new Map<string, AuditedRollout>();
  const found = new Map<string, RecordedRollout>();
  for await (const rollout of readRollouts(folder)) {
    const name = wanted.has(rollout.id) ? rollout.id : nameOf(rollout.id);
    if (wanted.has(name)) found.set(name, rollout);
    if (isTraining(name)) audited.set(name, auditedRollout(rollout));
  }
  return { audited: [...audited.values()], found };
}

/** Removes the suffix of a rollout's id that makes ids unique if a rollout is played again under the same name. */
const nameOf = (id: string): string => id.replace(/-[0-9a-z]+$/, '');

const isTraining = (name: string): boolean => !/^(eval|test)-/.test(name);

/** Returns the episode with the tree of the recorded calls of which it consists, if calls were recorded. */
export function withCalls(dialogue: Dialogue, episode: StoredEpisode, rollouts: AgentRollouts | null): Dialogue {
  const rollout = rollouts?.found.get(rolloutOf(episode) ?? '');
  return rollout ? { ...dialogue, tree: callTree(rollout, episode) } : dialogue;
}
