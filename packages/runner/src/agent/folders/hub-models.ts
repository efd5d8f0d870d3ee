// Downloads the models of the Hugging Face hub that a config names, before the task of the config starts.
import { ProgressBar } from '@bowyer/logging';
import type { AgentConfig, NodePart } from '../keys/agent-keys.js';
import type { Reporting } from '../../context/task-context.js';
import { hubId } from './hub-id.js';
import { agentFolderOf } from './model-folders.js';
import { convertedModel, isGgufFile, isWeightsFile, isWhole } from './weights-file.js';

export type ModelPlaces = Partial<Pick<AgentConfig, 'hub'> & NodePart<'warmStart', 'cacheDir'>> & {
  policy?: { model?: string | null; checkpoint?: string | null };
  critic?: { model?: string | null };
  task?: { model?: string | null };
  algorithm?: { teacher?: string | null };
};

/** The folder of converted models for tasks whose config has no `cache_dir`. */
const CACHE = '.cache';

/**
 * Replaces the models in a config (names on the hub, folders of runs and checkpoints, GGUF files, files of weights) by local
 * folders in Hugging Face's format.
 */
export async function useLocalModels(config: ModelPlaces, context: Reporting): Promise<void> {
  const { task, policy, critic, algorithm } = config;
  for (const node of [policy, critic, task])
    if (typeof node?.model === 'string') node.model = await localModel(node.model, config, context);
  if (typeof policy?.checkpoint === 'string')
    policy.checkpoint = await localCheckpoint(policy.checkpoint, config, context);
  if (typeof algorithm?.teacher === 'string' && !/^https?:/.test(algorithm.teacher))
    algorithm.teacher = await localModel(algorithm.teacher, config, context);
}

async function localCheckpoint(place: string, config: ModelPlaces, context: Reporting): Promise<string> {
  if (!isWeightsFile(place)) return localModel(place, config, context);
  const model = isWhole(place) ? null : (config.policy?.model ?? null);
  return convertedModel({ file: place, model, cacheDir: config.warmStart?.cacheDir ?? CACHE }, context);
}

/** Returns the local folder of a model, which is downloaded from the hub or converted from a GGUF file where necessary. */
async function localModel(
  place: string,
  { hub, warmStart }: Pick<ModelPlaces, 'hub' | 'warmStart'>,
  context: Reporting,
): Promise<string> {
  if (isGgufFile(place))
    return convertedModel({ file: place, model: null, cacheDir: warmStart?.cacheDir ?? CACHE }, context);
  const { log, progress } = context;
  const id = hubId(place);
  if (id === null) return agentFolderOf(place);
  const { modelDirectory } = await import('@bowyer/checkpoints');
  let bar: ProgressBar | undefined;
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6);
  const folder = await modelDirectory(id, {
    offline: hub?.offline,
    notice: (line) => log(line, 'WARNING'),
    progress: (bytes, total) =>
      (bar ??= new ProgressBar(`${id} MB`, megabytes(total), progress)).update(megabytes(bytes)),
  });
  bar?.finish();
  log(`${place}: ${folder}`);
  return folder;
}

/** Converts a file of weights, as ArCHer's fine-tuned Flan-T5s are, to a folder. Another path is returned unchanged. */
export async function localOracle(place: string, config: ModelPlaces, context: Reporting): Promise<string> {
  if (!isWeightsFile(place)) return place;
  const model = isWhole(place) ? null : await localModel(ORACLE_BASE, config, context);
  return convertedModel({ file: place, model, cacheDir: config.warmStart?.cacheDir ?? CACHE }, context);
}

/**
 * The model from which ArCHer's oracles were fine-tuned. Its config and tokenizer are used, since the files have weights only.
 */
const ORACLE_BASE = 'google/flan-t5-small';
