// Copies the data of folders in which a server has recorded conversations into the run's folder, so that a resumed run reads the
// same data even if the server continues to record.
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findAlgorithm } from '@bowyer/algorithms';
import { DataFileError, EXPECTED_CONVERSATION, recordFolderOf } from '@bowyer/conversations';
import type { RecordedUse } from '@bowyer/rollouts';
import type { TaskContext } from './task-context.js';

export interface RecordPlaces {
  demonstrations?: { path?: unknown };
  algorithm?: { name: string };
  task: { data?: unknown; tasks?: unknown; evalTasks?: unknown; testTasks?: unknown };
}

/**
 * Copies each folder of recordings that a config names to a JSONL file in the run's folder, and replaces the folder in the config
 * by that file.
 */
export async function useRecords(config: RecordPlaces, context: Pick<TaskContext, 'directory' | 'log'>): Promise<void> {
  const { demonstrations, task } = config;
  const prefers = findAlgorithm(config.algorithm?.name ?? '')?.needs.preferences;
  if (demonstrations) await useRecord(demonstrations, 'path', prefers ? 'prefer' : 'imitate', context);
  await useRecord(task, 'data', 'imitate', context);
  for (const key of ['tasks', 'evalTasks', 'testTasks'] as const) await useRecord(task, key, 'ask', context);
}

async function useRecord<Key extends string>(
  config: Partial<Record<Key, unknown>>,
  key: Key,
  use: RecordedUse,
  { directory, log }: Pick<TaskContext, 'directory' | 'log'>,
): Promise<void> {
  const given = config[key];
  const folder = typeof given === 'string' ? recordFolderOf(given) : null;
  if (folder === null) return;
  const parent = join(directory, 'recorded');
  const path = join(parent, `${key}.jsonl`);
  config[key] = path;
  if (existsSync(path)) return;
  const { writeRecordedData } = await import('@bowyer/rollouts');
  await mkdir(parent, { recursive: true });
  const items = await writeRecordedData(`${path}.new`, folder, use);
  if (items === 0) throw new DataFileError(`${folder}: the record has nothing to ${use}`, EXPECTED_OF[use]);
  await rename(`${path}.new`, path);
  log(`${folder}: ${items} items of the record are read as they are now (${path})`);
}

const EXPECTED_OF: Readonly<Record<RecordedUse, string>> = {
  imitate: 'answers of chats whose feedback is above 0, or that have none',
  prefer: 'answers of chats with corrections or other feedback',
  ask: EXPECTED_CONVERSATION,
};
