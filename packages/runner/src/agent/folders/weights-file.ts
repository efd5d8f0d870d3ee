// Converts a model that is one file to a folder in Hugging Face's format when it is first used. The file has only weights, as
// ArCHer's checkpoints and oracles do, or is a complete model in the format GGUF.
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { withFileLock, type ConfigProblem } from '@bowyer/core';
import { ProgressBar } from '@bowyer/logging';
import type { Reporting } from '../../context/task-context.js';

/** Returns whether a path in a config names a file of PyTorch or safetensors rather than the folder of a model. */
export const isWeightsFile = (place: unknown): place is string =>
  typeof place === 'string' && /\.(pt|pth|bin|safetensors)$/.test(place) && !isFolder(place);

/** Returns whether a path names a GGUF file, the format of Ollama, LM Studio and llama.cpp. */
export const isGgufFile = (place: string): boolean => place.endsWith('.gguf') && !isFolder(place);

const isFolder = (place: string): boolean => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;

/** Returns whether the model's config and tokenizer are in the same folder as the file of weights. */
export const isWhole = (file: string): boolean =>
  ['config.json', 'tokenizer.json'].every((name) => existsSync(join(dirname(file), name)));

/** Seconds without a heartbeat after which a process of another machine that converts the same file is considered dead. */
const STALE_SECONDS = 120;

interface Conversion {
  file: string;
  /** A model with the same architecture, whose config and tokenizer are used; null if both are next to the file of weights. */
  model: string | null;
  /** The folder in which the folders of converted models are cached. */
  cacheDir: string;
}

/** Returns the folder of the converted model, which may be from an earlier call. */
export async function convertedModel(
  { file, model, cacheDir }: Conversion,
  { log, progress }: Reporting,
): Promise<string> {
  if (!existsSync(file)) {
    const { WeightsFileError } = await import('@bowyer/checkpoints');
    throw new WeightsFileError(file, 'there is no such file', 'check the path');
  }
  const folder = join(cacheDir, 'converted', nameOf(file, model));
  if (existsSync(folder)) {
    log(`${file}: converted before, in ${folder}`);
    return folder;
  }
  const { convertCheckpoint } = await import('@bowyer/models');
  await mkdir(dirname(folder), { recursive: true });
  await withFileLock(
    `${folder}.lock`,
    async () => {
      if (existsSync(folder)) return;
      let bar: ProgressBar | undefined;
      await convertCheckpoint({
        input: file,
        output: folder,
        config: model,
        tokenizer: model,
        section: null,
        progress: (done, total) => (bar ??= new ProgressBar('convert', total, progress)).update(done),
      });
      bar?.finish();
    },
    { staleSeconds: STALE_SECONDS, onWait: () => log(`waiting for another process, which converts ${file}`) },
  );
  log(`${file}: converted to ${folder}`);
  return folder;
}

/** Returns the name of the file of weights from which the model in a folder was converted; null for other folders. */
export function convertedFrom(folder: string): string | null {
  const name = /^(.+)-[0-9a-f]{12}$/.exec(basename(folder))?.[1];
  return name !== undefined && basename(dirname(folder)) === 'converted' ? name : null;
}

/**
 * Returns the name of the folder for the converted model. It has a hash of the path, size and modification time of the file, so
 * that a file that was replaced under the same path is converted again.
 */
function nameOf(file: string, model: string | null): string {
  const { size, mtimeMs } = statSync(file);
  const hash = createHash('sha256').update(JSON.stringify([resolve(file), size, mtimeMs, model && resolve(model)]));
  return `${basename(file).replace(/\.\w+$/, '')}-${hash.digest('hex').slice(0, 12)}`;
}

/** Null if the file can be loaded. */
export function weightsFileProblem(key: string, file: string): ConfigProblem | null {
  if (existsSync(file)) return null;
  return { key, message: `${key}: there is no file '${file}'`, remedy: 'give the weights, or the folder of a model' };
}
