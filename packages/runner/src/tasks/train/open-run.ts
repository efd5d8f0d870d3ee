// Opens everything that a training needs between its initial policy and its final test (models, critic, memory, checkpoints), and
// closes it in the reverse order.
import { join } from 'node:path';
import { findAlgorithm, rateFollowsIterations, type Agent, type AnyAlgorithm, type Dataset } from '@bowyer/algorithms';
import { oneRank, onRankZero, timed } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import type { CheckpointStore } from '@bowyer/checkpoints';
import { warnOfTextRules } from '../../agent/chat/text-rules.js';
import { datasetFor } from '../../agent/demonstrations/imitation-data.js';
import { AgentMemory } from '../../agent/memory/agent-memory.js';
import { deviceOf } from '../../agent/policy/device-choice.js';
import type { Start } from '../../agent/policy/reference-policy.js';
import { checkpointsOf, type CheckpointProgress } from '../../run/checkpoint-progress.js';
import { claimDirectory } from '../../run/run-files.js';
import type { TaskContext } from '../../context/task-context.js';
import { fillMemory, findStart } from './find-start.js';
import { ResourceStack } from './resource-stack.js';
import type { MakeRolloutSource, RolloutSource } from './rollout-source.js';
import type { TrainConfig } from './train-config.js';
import { TrainedModels } from './trained-models.js';

export interface OpenRun extends AsyncDisposable {
  unit: AnyAlgorithm;
  device: Device;
  source: RolloutSource;
  memory: AgentMemory | null;
  start: Start;
  store: CheckpointStore<CheckpointProgress>;
  /** The folder of the checkpoint that the run resumes from; null for a new run. */
  checkpoint: string | null;
  /** Null for a new run. */
  progress: CheckpointProgress | null;
  /** The index of the first iteration to train; 0 for a new run. */
  firstIteration: number;
  models: TrainedModels;
  dataset: Dataset | null;
  agent: Agent;
  /** The folder from which the policy's weights are loaded: the initial ones, or those of a checkpoint. */
  policyFolder: string;
}

/** Returns null if the user stopped the run's warm start. */
export async function openRun(
  config: TrainConfig,
  context: TaskContext,
  makeSource: MakeRolloutSource<TrainConfig>,
): Promise<OpenRun | null> {
  const { directory, log, ranks = oneRank } = context;
  const unit = findAlgorithm(config.algorithm.name)!;
  await using resources = new ResourceStack();
  const { shardOptimizer } = config.distributed;
  const device = resources.adopt(
    await openDevice({ ...deviceOf(config), ranks, shardsOptimizers: shardOptimizer }),
    (own) => own.close(),
  );
  const memory = resources.adopt(await AgentMemory.open(config, device), (own) => own?.release());
  const source = makeSource(config, context, memory);
  const start = await timed('phase', 'start', () => findStart(unit, config, device, context, memory));
  if (start === null) return null;

  const store = checkpointsOf(directory);
  const found = await onRankZero(ranks, () => store.newest((warning) => log(warning, 'WARNING')));
  if (found) checkResumed(found.progress, config, log);
  const checkpoint = found?.folder ?? null;
  const folder = checkpoint === null ? start.folder : join(checkpoint, 'policy');
  if (memory) await fillMemory(memory, checkpoint, start, config, log);
  if (folder !== null && unit.needs.source === 'episodes') await warnOfTextRules(folder, log);

  const models = resources.adopt(await TrainedModels.open(unit, start, checkpoint, config, device), (own) =>
    own.release(),
  );
  const { policy, critic } = models;
  const dataset = start.data && (await datasetFor(policy, start.data, config, log));
  if (ranks.rank === 0) await claimDirectory(directory, context.config.decisive);
  const agent: Agent = { policy, critic, dialogues: await source.dialogues(policy) };
  const progress = found?.progress ?? null;
  const firstIteration = progress?.nextIteration ?? 0;
  const opened = resources.move();
  return {
    unit,
    device,
    source,
    memory,
    start,
    store,
    checkpoint,
    progress,
    firstIteration,
    models,
    dataset,
    agent,
    policyFolder: folder!,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** The config keys that decide how long a run is, and how its learning rate decays. */
type LengthConfig = Pick<TrainConfig, 'algorithm'>;

/**
 * Refuses to resume a run with another number of iterations if the learning rate depends on it: the rate would jump, and the run
 * would differ from every uninterrupted run.
 */
function refuseOtherLength(found: CheckpointProgress, { algorithm: { iterations, actor } }: LengthConfig): void {
  const before = found.iterations ?? iterations;
  if (iterations === before || actor?.schedule === undefined) return;
  if (!rateFollowsIterations(actor.schedule)) return;
  throw new Error(
    `algorithm.iterations: ${before} → ${iterations}: the learning rate of this run follows algorithm.actor.schedule over ${before} ` +
      `iterations, so with ${iterations} it would equal neither the run that it was nor a run of ${iterations} iterations from the start\n` +
      `  give algorithm.iterations=${before}, or begin a new run in another folder: save_path=FOLDER; a run with ` +
      'algorithm.actor.schedule.kind=constant can be made longer at any time',
  );
}

function checkResumed(progress: CheckpointProgress, config: LengthConfig, log: TaskContext['log']): void {
  refuseOtherLength(progress, config);
  const all = config.algorithm.iterations === undefined ? '' : ` of ${config.algorithm.iterations} iterations`;
  log(`resumed after ${progress.nextIteration}${all}`);
}
