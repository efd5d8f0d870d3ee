// An optimizer's own tensors (moments, their scales) in a file: states under prefixes, the number of steps as metadata.
import type { Device, State } from '@bowyer/graph';
import type { OptimizerNotes } from './optimizer.js';
import { SafetensorsError } from './safetensors-header.js';
import { readSafetensorsFile, writeSafetensors, type StoredTensors } from './safetensors.js';
import { writeTensors } from './state-tensors.js';

/** States by the prefix that their tensors' names have in the file. */
export type PrefixedStates = Readonly<Record<string, State>>;

/** Shapes of a state, to make another one like it. */
export function shapesOf(state: State): Record<string, readonly number[]> {
  return Object.fromEntries([...state.tensors].map(([name, { shape }]) => [name, shape]));
}

/** Floats come first in the file, so that each begins at a multiple of 4 whatever the number of bytes (8-bit codes). */
export async function saveStates(
  device: Device,
  path: string,
  states: PrefixedStates,
  { steps, notes }: { steps: number; notes?: OptimizerNotes },
): Promise<void> {
  const tensors: StoredTensors[] = [{}, {}];
  for (const [prefix, state] of Object.entries(states)) {
    for (const [name, { shape, dtype, data }] of Object.entries(await device.read(state)))
      tensors[Number(dtype === 'uint8')][prefix + name] = {
        shape: [...shape],
        data: data as Float32Array | Uint8Array,
      };
  }
  await writeSafetensors(path, { ...tensors[0], ...tensors[1] }, { format: 'pt', ...notes, steps: String(steps) });
}

/** @returns the number of steps that the file tells, and all its notes */
export async function restoreStates(
  device: Device,
  path: string,
  states: PrefixedStates,
): Promise<{ steps: number; notes: OptimizerNotes }> {
  const { tensors, metadata } = await readSafetensorsFile(path);
  const steps = Number(metadata.steps);
  if (!Number.isInteger(steps))
    throw new SafetensorsError(path, null, "metadata 'steps' of an optimizer", String(metadata.steps));
  for (const [prefix, state] of Object.entries(states)) await writeTensors(device, state, tensors, { path, prefix });
  return { steps, notes: metadata };
}
