// Finds the model in a folder, which may be a model in Hugging Face's format, an adapter, a run, or a checkpoint of a run.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

import type { ConfigProblem } from '@bowyer/core';
import { hubId } from './hub-id.js';
import { convertedFrom, isGgufFile, isWeightsFile, weightsFileProblem } from './weights-file.js';

const isModel = (folder: string): boolean =>
  existsSync(join(folder, 'config.json')) || existsSync(join(folder, 'adapter_config.json'));

/**
 * Returns the folder that has the model's files. In the folder of a run it is that of the best agent, or else of the newest
 * checkpoint.
 *
 * @returns the path unchanged where no model is found in it
 */
export function agentFolderOf(place: string): string {
  const checkpoints = join(place, 'checkpoints');
  const numbered = existsSync(checkpoints)
    ? readdirSync(checkpoints)
        .filter((name) => /^\d+$/.test(name))
        .sort((a, b) => Number(b) - Number(a))
        .map((name) => join(checkpoints, name, 'policy'))
    : [];
  const candidates = [place, join(place, 'policy'), join(checkpoints, 'best'), ...numbered];
  return candidates.find(isModel) ?? place;
}

/**
 * Returns a model's name for tables and messages, from its folder: a run's best agent has the name of the run, and a checkpoint
 * the run's name and its number.
 */
export function modelNameOf(folder: string): string {
  const parts = resolve(folder).split(sep);
  const checkpoints = parts.lastIndexOf('checkpoints');
  if (checkpoints < 2) return convertedFrom(resolve(folder)) ?? basename(resolve(folder));
  const inside = parts.slice(checkpoints + 1).filter((part) => part !== 'best' && part !== 'policy');
  return [parts[checkpoints - 1], ...inside].join('-');
}

/** Returns whether a path contains an adapter in PEFT's format. */
export const isAdapterFolder = (place: string): boolean =>
  existsSync(join(agentFolderOf(place), 'adapter_config.json'));

/**
 * Finds the critic that was saved with an agent: in the folder of a best agent, or next to the policy's folder in a checkpoint;
 * null where there is none.
 */
export function criticFolderOf(agentFolder: string): string | null {
  return (
    [join(agentFolder, 'critic'), join(dirname(agentFolder), 'critic')].find((folder) => existsSync(folder)) ?? null
  );
}

/** The name of the memory's file, which is next to an agent's weights, or next to the policy's folder in a checkpoint. */
export const MEMORY_FILE = 'memory.jsonl';

/** Finds the memory that was saved with an agent; null where there is none. */
export const memoryFileOf = (agentFolder: string): string | null =>
  [join(agentFolder, MEMORY_FILE), join(dirname(agentFolder), MEMORY_FILE)].find((file) => existsSync(file)) ?? null;

/** Null if the path is that of a model; an adapter must be loadable. */
export async function modelProblem(key: string, place: string | null): Promise<ConfigProblem | null> {
  if (place === null) return null;
  if (key === 'policy.checkpoint' && isWeightsFile(place)) return weightsFileProblem(key, place);
  if (isGgufFile(place)) return weightsFileProblem(key, place);
  if (hubId(place) !== null) return null;
  const folder = agentFolderOf(place);
  if (key !== 'critic.model' && existsSync(join(folder, 'adapter_config.json'))) return adapterProblem(key, folder);
  if (existsSync(join(folder, 'config.json'))) return null;
  const isFile = statSync(place, { throwIfNoEntry: false })?.isFile();
  const what = isFile
    ? `'${place}' is a file, not a folder with a model`
    : existsSync(place)
      ? `the folder '${place}' contains no model`
      : `there is no folder '${place}'`;
  return {
    key,
    message: `${key}: ${what}`,
    remedy:
      'give a model in Hugging Face layout (a folder with config.json, model.safetensors and tokenizer.json), a GGUF file, a\n' +
      '  run or one of its checkpoints, or a model of the hub (OWNER/NAME)',
  };
}

/** Returns why an adapter cannot be loaded. Only this check imports the library that runs models, which takes long to load. */
async function adapterProblem(key: string, folder: string): Promise<ConfigProblem | null> {
  const { AdapterError, openAdapterDirectory } = await import('@bowyer/models');
  try {
    await openAdapterDirectory(folder);
    return null;
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const [message, ...remedy] = error.message.split('\n');
    return { key, message: `${key}: ${message}`, remedy: remedy.map((line) => line.trim()).join('\n  ') };
  }
}
