// Models that a config names by their place on the hub, downloaded before a task begins.
import { ProgressBar } from '@bowyer/logging';
import type { Reporting } from '../../context/task-context.js';
import type { AgentConfig } from '../keys/agent-keys.js';
import { hubId } from './hub-id.js';
import { agentFolderOf } from './model-folders.js';
import { convertedModel, isGgufFile, isWeightsFile, isWhole } from './weights-file.js';

/** The options of a config that name models. */
export type ModelPlaces = Partial<Record<(typeof KEYS)[number], string | null>> &
  Partial<Pick<AgentConfig, 'offline' | 'cacheDir'>> & {
    task?: { model?: string | null };
    algorithm?: { teacher?: string | null };
  };

const KEYS = ['policyLm', 'criticLm', 'checkpointPath'] as const;

/** The folder of converted models for runs without a `cache_dir`. */
const CACHE = '.cache';

/** Puts folders in place of hub ids, runs, checkpoints of runs, GGUF files and files of weights. */
export async function useLocalModels(config: ModelPlaces, context: Reporting): Promise<void> {
  for (const key of KEYS) {
    const place = config[key] ?? null;
    if (place === null) continue;
    if (key === 'checkpointPath' && isWeightsFile(place)) {
      const model = isWhole(place) ? null : (config.policyLm ?? null);
      config[key] = await convertedModel({ file: place, model, cacheDir: config.cacheDir ?? CACHE }, context);
    } else config[key] = await localModel(place, config, context);
  }
  const { task, algorithm } = config;
  if (typeof task?.model === 'string') task.model = await localModel(task.model, config, context);
  if (typeof algorithm?.teacher === 'string' && !/^https?:/.test(algorithm.teacher))
    algorithm.teacher = await localModel(algorithm.teacher, config, context);
}

/** Returns the folder of a model, downloaded where it is one of the hub, and converted where it is a GGUF file. */
async function localModel(
  place: string,
  { offline, cacheDir }: Pick<ModelPlaces, 'offline' | 'cacheDir'>,
  context: Reporting,
): Promise<string> {
  if (isGgufFile(place)) return convertedModel({ file: place, model: null, cacheDir: cacheDir ?? CACHE }, context);
  const { log, progress } = context;
  const id = hubId(place);
  if (id === null) return agentFolderOf(place);
  const { modelDirectory } = await import('@bowyer/checkpoints');
  let bar: ProgressBar | undefined;
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6);
  const folder = await modelDirectory(id, {
    offline,
    notice: (line) => log(line, 'WARNING'),
    progress: (bytes, total) =>
      (bar ??= new ProgressBar(`${id} MB`, megabytes(total), progress)).update(megabytes(bytes)),
  });
  bar?.finish();
  log(`${place}: ${folder}`);
  return folder;
}

/** Returns the oracle of a file of weights, as ArCHer's are: a fine-tuned Flan-T5. Other places stay. */
export async function localOracle(place: string, config: ModelPlaces, context: Reporting): Promise<string> {
  if (!isWeightsFile(place)) return place;
  const model = isWhole(place) ? null : await localModel(ORACLE_BASE, config, context);
  return convertedModel({ file: place, model, cacheDir: config.cacheDir ?? CACHE }, context);
}

/** The model that ArCHer's oracles were fine-tuned from. */
const ORACLE_BASE = 'google/flan-t5-small';
