// Between a device's state and files: copies out, and checked writes back in.
import type { Device, State } from '@bowyer/graph';
import { SafetensorsError } from './safetensors-header.js';
import type { HostTensors } from './safetensors.js';

/** Copies of all tensors of a state, as a safetensors file takes them. */
export async function copyTensors(device: Device, state: State): Promise<HostTensors> {
  const copies = await device.read(state);
  return Object.fromEntries(
    Object.entries(copies).map(([name, { shape, data }]) => [name, { shape: [...shape], data: data as Float32Array }]),
  );
}

/**
 * Overwrites every tensor of a state with `tensors[prefix + name]`. All of them must be there in the right shape:
 * nothing is written otherwise, so a checkpoint of another model leaves the state as it was.
 *
 * @param path where the tensors come from, for the error message
 */
export async function writeTensors(
  device: Device,
  state: State,
  tensors: HostTensors,
  { path, prefix = '' }: { path: string; prefix?: string },
): Promise<void> {
  const found = state.names.map((name) => {
    const { shape, dtype } = state.info(name);
    const tensor = tensors[prefix + name];
    const expected = `shape [${shape.join(', ')}]`;
    if (!tensor) throw new SafetensorsError(path, prefix + name, expected, 'no such tensor');
    if (tensor.shape.join() !== shape.join()) {
      throw new SafetensorsError(path, prefix + name, expected, `shape [${tensor.shape.join(', ')}]`);
    }
    return [name, { data: dtype === 'uint8' ? Uint8Array.from(tensor.data) : tensor.data }] as const;
  });
  await device.write(state, Object.fromEntries(found));
}
