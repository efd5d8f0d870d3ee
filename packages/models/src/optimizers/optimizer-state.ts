// Saves and restores the tensors that an optimizer keeps between steps (moments and their scales) in a safetensors file: names
// have a prefix for each kind of tensor, and the number of steps is metadata.
import type { Device, State } from '@bowyer/graph';
import type { OptimizerNotes } from './optimizer.js';
import { readSafetensorsFile, CheckpointError, type WritableTensors, writeSafetensors } from '@bowyer/checkpoints';
import { bytesShape, loadStateDict } from '../weights/state-dict.js';

/** States by the prefix of their tensors' names in the file. */
type PrefixedStates = Readonly<Record<string, State>>;

/** Returns the shapes of a state's tensors by name, e.g. to create a state with tensors of the same shapes. */
export function shapesOf(state: State): Record<string, readonly number[]> {
  return Object.fromEntries([...state.tensors].map(([name, { shape }]) => [name, shape]));
}

/** Saves states. 8-bit codes, four to an int32 word on the device, are saved as bytes after the float tensors. */
export async function saveStates(
  device: Device,
  path: string,
  states: PrefixedStates,
  { steps, notes }: { steps: number; notes?: OptimizerNotes },
): Promise<void> {
  const tensors: WritableTensors[] = [{}, {}];
  for (const [prefix, state] of Object.entries(states)) {
    for (const [name, { shape, dtype, data }] of Object.entries(await device.read(state)))
      if (dtype === 'int32')
        tensors[1][prefix + name] = {
          shape: bytesShape(shape),
          data: new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength),
        };
      else tensors[0][prefix + name] = { shape: [...shape], data: data as Float32Array };
  }
  await writeSafetensors(path, { ...tensors[0], ...tensors[1] }, { format: 'pt', ...notes, steps: String(steps) });
}

/** @param needed metadata that the file must have @returns the number of optimizer steps in the file, and all of its metadata */
export async function restoreStates(
  device: Device,
  path: string,
  states: PrefixedStates,
  needed: OptimizerNotes = {},
): Promise<{ steps: number; notes: OptimizerNotes }> {
  const { tensors, metadata } = await readSafetensorsFile(path);
  const steps = Number(metadata.steps);
  if (!Number.isInteger(steps))
    throw new CheckpointError(path, null, "metadata 'steps' of an optimizer", String(metadata.steps));
  for (const [key, value] of Object.entries(needed)) {
    if (metadata[key] !== value)
      throw new CheckpointError(
        path,
        null,
        `metadata '${key}' with '${value}'`,
        metadata[key] === undefined ? 'none' : `'${metadata[key]}'`,
        'it contains the state of another optimizer or version: resume with the optimizer that wrote it, or start again from the weights',
      );
  }
  for (const [prefix, state] of Object.entries(states)) await loadStateDict(device, state, tensors, { path, prefix });
  return { steps, notes: metadata };
}
