// An optimizer's own tensors (moments, their scales) in a file: states under prefixes, the number of steps as metadata.
import type { Device, State } from '@bowyer/graph';
import { SafetensorsError } from './safetensors-header.js';
import { readSafetensorsFile, writeSafetensors, type HostTensors } from './safetensors.js';
import { writeTensors } from './state-tensors.js';

/** States by the prefix that their tensors' names have in the file. */
export type PrefixedStates = Readonly<Record<string, State>>;

/** Shapes of a state, to make another one like it. */
export function shapesOf(state: State): Record<string, readonly number[]> {
  return Object.fromEntries([...state.tensors].map(([name, { shape }]) => [name, shape]));
}

/** Bytes (8-bit codes) are written as float32, which holds them exactly. */
export async function saveStates(device: Device, path: string, states: PrefixedStates, steps: number): Promise<void> {
  const tensors: HostTensors = {};
  for (const [prefix, state] of Object.entries(states)) {
    for (const [name, { shape, dtype, data }] of Object.entries(await device.read(state))) {
      const values = dtype === 'float32' ? (data as Float32Array) : Float32Array.from(data as Uint8Array);
      tensors[prefix + name] = { shape: [...shape], data: values };
    }
  }
  await writeSafetensors(path, tensors, { format: 'pt', steps: String(steps) });
}

/** @returns the number of steps that the file tells */
export async function restoreStates(device: Device, path: string, states: PrefixedStates): Promise<number> {
  const { tensors, metadata } = await readSafetensorsFile(path);
  const steps = Number(metadata.steps);
  if (!Number.isInteger(steps))
    throw new SafetensorsError(path, null, "metadata 'steps' of an optimizer", String(metadata.steps));
  for (const [prefix, state] of Object.entries(states)) await writeTensors(device, state, tensors, { path, prefix });
  return steps;
}
