// Detects the format of a weight file or directory, and opens it.
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openLlama2c } from './llama2c/llama2c-checkpoint.js';
import { openPyTorchStateDict } from './pytorch/state-dict.js';
import { WeightsFileError } from './io/weights-file-error.js';
import { openShards, openSafetensors, readWeightMap, SafetensorsFile } from './safetensors/safetensors-file.js';
import type { CheckpointReader } from './io/checkpoint-reader.js';

export interface OpenedCheckpoint {
  kind: 'safetensors' | 'pytorch' | 'llama2c';
  source: CheckpointReader;
  /** The model's config.json, if the file determines it. */
  config?: Record<string, unknown>;
}

interface OpenCheckpointOptions {
  /** The key of the state dict in a PyTorch file, such as `critic_state_dict`; null: the usual keys are tried. */
  section: string | null;
}

const PYTORCH_INDEX = 'pytorch_model.bin.index.json';

/** Opens weights in any supported format. @param path a file, or a directory with the weights of one model */
export async function openCheckpoint(path: string, options: OpenCheckpointOptions): Promise<OpenedCheckpoint> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new WeightsFileError(path, 'there is no such file or directory', 'check the path');
  return found.isDirectory() ? openDirectory(path, options) : openFile(path, options);
}

async function openDirectory(dir: string, options: OpenCheckpointOptions): Promise<OpenedCheckpoint> {
  const files = (await readdir(dir)).sort();
  if (files.includes('model.safetensors') || files.includes('model.safetensors.index.json'))
    return { kind: 'safetensors', source: await openSafetensors(dir) };
  const pytorch = pytorchOptions(options);
  if (files.includes(PYTORCH_INDEX)) {
    const index = join(dir, PYTORCH_INDEX);
    const openShard = (shard: string) => openPyTorchStateDict(shard, pytorch);
    return { kind: 'pytorch', source: await openShards(index, await readWeightMap(index), openShard) };
  }
  const candidates = files.includes('pytorch_model.bin')
    ? ['pytorch_model.bin']
    : files.filter((file) => /\.(pt|pth|bin)$/.test(file) && !/^(tok|training_args|optimizer|scheduler)/.test(file));
  if (candidates.length !== 1)
    throw new WeightsFileError(
      dir,
      candidates.length ? `it contains several weight files: ${candidates.join(', ')}` : 'it contains no weight file',
      'choose one: task.input=FILE',
    );
  return openFile(join(dir, candidates[0]), options);
}

async function openFile(path: string, options: OpenCheckpointOptions): Promise<OpenedCheckpoint> {
  if (path.endsWith('.safetensors')) return { kind: 'safetensors', source: await SafetensorsFile.open(path) };
  if (await beginsAsPyTorch(path))
    return { kind: 'pytorch', source: await openPyTorchStateDict(path, pytorchOptions(options)) };
  if (!path.endsWith('.bin'))
    throw new WeightsFileError(
      path,
      'it was not written by torch.save: neither a ZIP archive nor a pickle',
      'supported: .pt, .pth and .bin of PyTorch, .safetensors, .bin of llama2.c',
    );
  return { kind: 'llama2c', ...(await openLlama2c(path)) };
}

/**
 * Returns whether a file begins like a ZIP archive, or like a pickle of protocol 2 or later: 0x80, the protocol, an opcode. A
 * llama2.c file of width 640 begins with 0x80 too, but has a 0 in the place of the opcode.
 */
async function beginsAsPyTorch(path: string): Promise<boolean> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    if (bytesRead < 4) return false;
    return (
      (buffer[0] === 0x50 && buffer[1] === 0x4b && buffer[2] < 9) ||
      (buffer[0] === 0x80 && buffer[1] <= 5 && buffer[2] !== 0)
    );
  } finally {
    await handle.close();
  }
}

const pytorchOptions = ({ section }: OpenCheckpointOptions) => (section === null ? {} : { section });
