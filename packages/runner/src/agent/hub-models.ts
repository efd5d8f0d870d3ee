// Models that a config names by their place on the hub, downloaded before a task begins.
import { ProgressBar } from '@bowyer/logging';
import type { SharedConfig } from '../config/keys.js';
import type { TaskContext } from '../tasks/task.js';
import { hubId } from './hub-id.js';
import { agentFolderOf } from './model-folders.js';

const KEYS = ['model', 'policyLm', 'criticLm', 'checkpointPath', 'teacher'] as const;

type ModelConfig = Partial<Record<(typeof KEYS)[number], string | null>> & Partial<Pick<SharedConfig, 'offline'>>;

/** Puts folders in place of hub ids, runs and checkpoints of runs. */
export async function useLocalModels(
  config: ModelConfig,
  { log, progress }: Pick<TaskContext, 'log' | 'progress'>,
): Promise<void> {
  for (const key of KEYS) {
    const place = config[key] ?? null;
    if (place === null) continue;
    const id = hubId(place);
    if (id === null) {
      config[key] = agentFolderOf(place);
      continue;
    }
    const { modelDirectory } = await import('@bowyer/checkpoints');
    let bar: ProgressBar | undefined;
    const megabytes = (bytes: number) => Math.ceil(bytes / 1e6);
    config[key] = await modelDirectory(id, {
      offline: config.offline,
      notice: (line) => log(line, 'WARNING'),
      progress: (bytes, total) =>
        (bar ??= new ProgressBar(`${id} MB`, megabytes(total), progress)).update(megabytes(bytes)),
    });
    bar?.finish();
    log(`${place}: ${config[key]}`);
  }
}
