// Models that a config names by their place on the hub, downloaded before a task begins.
import { existsSync } from 'node:fs';
import { ProgressBar } from '@bowyer/logging';
import type { SharedConfig } from '../config/keys.js';
import type { TaskContext } from '../tasks/task.js';
import { agentFolderOf } from './model-folders.js';

const KEYS = ['model', 'policyLm', 'criticLm', 'checkpointPath'] as const;

/** Models of the hub that have no owner in their older names. */
const OWNERS: Readonly<Record<string, string>> = {
  gpt2: 'openai-community',
  'gpt2-medium': 'openai-community',
  'gpt2-large': 'openai-community',
  'gpt2-xl': 'openai-community',
  distilgpt2: 'distilbert',
  'roberta-base': 'FacebookAI',
  'roberta-large': 'FacebookAI',
  'distilroberta-base': 'distilbert',
  'bert-base-uncased': 'google-bert',
  'bert-base-cased': 'google-bert',
  'bert-large-uncased': 'google-bert',
  'distilbert-base-uncased': 'distilbert',
  'albert-base-v2': 'albert',
  't5-small': 'google-t5',
  't5-base': 'google-t5',
};

/**
 * OWNER/NAME[@REVISION] for a place that is no folder here; null where it names nothing on the hub. The hub's own rules are
 * in @bowyer/checkpoints, which is not loaded for this.
 */
export function hubId(place: string): string | null {
  if (existsSync(place)) return null;
  const [name, ...revision] = place.split('@');
  if (Object.hasOwn(OWNERS, name)) return [`${OWNERS[name]}/${name}`, ...revision].join('@');
  return /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*(@[\w./-]+)?$/.test(place) ? place : null;
}

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
