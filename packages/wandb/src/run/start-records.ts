// Makes the records with which a W&B run's log begins, and the files that every W&B run has.
import { writeFile } from 'node:fs/promises';
import { hostname, platform, release } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '@bowyer/core';
import { jsonText, rawText, type RawTree } from '../log/raw-json.js';
import { timestampOf, type Item, type LogRecord } from '../log/records.js';
import type { Environment } from '../place/api-key.js';
import type { RunPlace } from '../place/run-place.js';
import type { WandbSettings } from '../place/settings.js';

/** The name of this program as the producer of the log, in the log's first record. */
const PRODUCER = `bowyer-${VERSION}`;
/** The number by which wandb_internal.proto names each type of file and each time of upload. */
export const WANDB_FILE = 1;
export const MEDIA_FILE = 2;
export const NOW = 0;
export const AT_END = 1;

export async function startRecords(
  { directory, config, env }: { directory: string; config: Readonly<Record<string, unknown>>; env: Environment },
  { id, files }: RunPlace,
  settings: WandbSettings,
): Promise<LogRecord[]> {
  const start_time = timestampOf(Date.now());
  const host = env.WANDB_HOST || hostname();
  const update = Object.entries(config).map(([key, value]): Item => ({ key, value_json: jsonText(value) }));
  const { entity, project, group, jobType, name, notes, tags, sweepId } = settings;
  const system = { os: `${platform()}-${release()}`, host, program: 'bowyer' };
  const commit = env.WANDB_GIT_COMMIT;
  const metadata = { ...system, startedAt: new Date().toISOString(), root: directory, git: commit && { commit } };
  await writeFile(join(files, 'wandb-metadata.json'), `${jsonText(metadata)}\n`);
  const tree: RawTree = new Map(update.map(({ key, value_json }) => [key!, `{"value": ${value_json}}`]));
  await writeFile(join(files, 'config.yaml'), `${rawText(tree)}\n`); // JSON is valid YAML
  return [
    { header: { version_info: { producer: PRODUCER, min_consumer: '0.19.0' } } },
    {
      run: {
        run_id: id,
        entity,
        project,
        run_group: group,
        job_type: jobType,
        display_name: name,
        notes,
        tags,
        host,
        sweep_id: sweepId,
        start_time,
        telemetry: { cli_version: PRODUCER },
        git: commit ? { commit } : undefined,
        // The key `_wandb` is set, since W&B's command `wandb sync` otherwise omits the definitions of metrics.
        config: { update: [...update, { key: '_wandb', value_json: '{}' }] },
      },
    },
    { telemetry: { cli_version: PRODUCER } },
    { environment: { ...system, started_at: start_time, root: directory } },
    filesRecord(['wandb-metadata.json', 'config.yaml'], NOW, WANDB_FILE),
  ];
}

export const filesRecord = (paths: readonly string[], policy: number, type: number): LogRecord => ({
  files: { files: paths.map((path) => ({ path, policy, type })) },
});
