// Finds the initial policy of a run, or the data from which a policy from scratch gets its vocabulary, and the initial contents
// of the agent's memory.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnyAlgorithm } from '@bowyer/algorithms';
import { oneRank, onRankZero } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { makeDemonstrations } from '../../agent/demonstrations/demonstrations.js';
import { loadImitationData } from '../../agent/demonstrations/imitation-data.js';
import { hasEnvironment } from '../../agent/environment/environment.js';
import { memoryFileOf } from '../../agent/folders/model-folders.js';
import type { AgentMemory } from '../../agent/memory/agent-memory.js';
import { checkTextRules } from '../../agent/policy/check-text-rules.js';
import type { Start } from '../../agent/policy/reference-policy.js';
import { warmStart, type WarmStartConfig } from '../../agent/warm-start/warm-start.js';
import type { TaskContext } from '../../context/task-context.js';
import type { TrainConfig } from './train-config.js';
import { runOf } from '../../run/recorded-config.js';

type StartConfig = WarmStartConfig & Pick<TrainConfig, 'policy' | 'task'>;

/** Returns null if the user stopped the warm start. */
export async function findStart(
  unit: AnyAlgorithm,
  config: StartConfig,
  device: Device,
  context: TaskContext,
  memory: AgentMemory | null,
): Promise<Start | null> {
  const given = config.policy.checkpoint ?? config.policy.model;
  await checkTextRules(given, config);
  const trainedIn = given === null ? undefined : runOf(given)?.env?.name;
  if (hasEnvironment(config) && trainedIn !== undefined && trainedIn !== config.env.name)
    context.log(`the policy in ${given} was trained in ${trainedIn}; this run plays ${config.env.name}`, 'WARNING');
  if (unit.needs.source === 'dataset')
    return { folder: given, data: await loadImitationData(config, memory, context.log, unit.needs.preferences) };
  // Rank 0 alone makes the warm start, and the other ranks read it from the cache; the result does not depend on the number of
  // ranks.
  const folder = given ?? (await onRankZero(context.ranks ?? oneRank, () => warmStart(config, device, context)));
  if (folder === null) return null;
  // The losses of the warm start are copied into the run's folder, where the report reads them, since the cache may be emptied.
  if (given === null && (context.ranks ?? oneRank).rank === 0)
    await copyFile(join(folder, 'metrics.jsonl'), join(context.directory, 'warm-start.jsonl'));
  return { folder, data: unit.needs.dataset ? await loadImitationData(config, memory, context.log) : null };
}

/**
 * Fills the memory of an agent: for a resumed run from its checkpoint, for a new one from the agent with which it begins, or from
 * the demonstrations.
 */
export async function fillMemory(
  memory: AgentMemory,
  checkpoint: string | null,
  { folder, data }: Start,
  config: StartConfig,
  log: TaskContext['log'],
): Promise<void> {
  if (checkpoint !== null) return memory.restore(memoryFileOf(checkpoint)!);
  if (!config.memory!.demonstrations || data !== null) return;
  const ofAgent = (config.policy.checkpoint ?? config.policy.model) === null ? null : memoryFileOf(folder!);
  if (ofAgent !== null) return memory.restore(ofAgent);
  log(memory.addDemonstrations(config, await makeDemonstrations(config)));
}
