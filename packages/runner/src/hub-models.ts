// Models that a config names by their place on the hub, brought here before a task begins.
import { existsSync } from 'node:fs';
import { ProgressBar } from '@bowyer/logging';
import type { RunConfig } from './run-config.js';
import type { TaskContext } from './tasks/task.js';

const KEYS = ['model', 'policyLm', 'criticLm', 'checkpointPath'] as const;

/** OWNER/NAME[@REVISION] that is no directory here. The hub's own rules are in @bowyer/models, which is not loaded for this. */
export const mayBeHubId = (place: string): boolean =>
  /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*(@[\w./-]+)?$/.test(place) && !existsSync(place);

/** The config with directories in place of hub ids. */
export async function withLocalModels(
  config: RunConfig,
  { log, progress }: Pick<TaskContext, 'log' | 'progress'>,
): Promise<RunConfig> {
  const local = { ...config };
  for (const key of KEYS) {
    const place = config[key];
    if (place === null || !mayBeHubId(place)) continue;
    const { modelDirectory } = await import('@bowyer/checkpoints');
    let bar: ProgressBar | undefined;
    const megabytes = (bytes: number) => Math.ceil(bytes / 1e6);
    local[key] = await modelDirectory(place, {
      offline: config.offline,
      notice: (line) => log(line, 'WARNING'),
      progress: (bytes, total) =>
        (bar ??= new ProgressBar(`${place} MB`, megabytes(total), progress)).update(megabytes(bytes)),
    });
    bar?.finish();
    log(`${place}: ${local[key]}`);
  }
  return local;
}
