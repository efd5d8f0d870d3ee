// Copies the tensors of a state on a device to tensors that can be saved to a file, and writes tensors of a file back after
// checks.
import { toFloat16, type Device, type State, type TensorCopy } from '@bowyer/graph';
import { float16ToFloat32, type HostTensors, CheckpointError } from '@bowyer/checkpoints';

export async function readStateDict(device: Device, state: State): Promise<HostTensors> {
  const copies = await device.read(state);
  return Object.fromEntries(
    Object.entries(copies).map(([name, copy]) => [name, { shape: [...copy.shape], data: float32Data(copy) }]),
  );
}

const float32Data = ({ dtype, data }: TensorCopy): Float32Array =>
  dtype === 'float16' ? float16ToFloat32(data as Uint16Array) : (data as Float32Array);

/** Returns the shape of 8-bit codes in a file, which has bytes where a state has four codes in an int32 word. */
export const bytesShape = (shape: readonly number[]): number[] => [...shape.slice(0, -1), 4 * shape.at(-1)!];

/**
 * Overwrites every tensor of a state with `tensors[prefix + name]`. Nothing is written unless all of them exist and have the right
 * shape, so a checkpoint of another model does not change the state.
 *
 * @param path the origin of the tensors, for error messages
 */
export async function loadStateDict(
  device: Device,
  state: State,
  tensors: HostTensors,
  { path, prefix = '' }: { path: string; prefix?: string },
): Promise<void> {
  const found = state.names.map((name) => {
    const { shape, dtype } = state.info(name);
    const tensor = tensors[prefix + name];
    const stored = dtype === 'int32' ? bytesShape(shape) : shape;
    const expected = `shape [${stored.join(', ')}]`;
    if (!tensor) throw new CheckpointError(path, prefix + name, expected, 'no such tensor');
    if (tensor.shape.join() !== stored.join()) {
      throw new CheckpointError(path, prefix + name, expected, `shape [${tensor.shape.join(', ')}]`);
    }
    const data = dtype === 'float16' ? toFloat16(tensor.data) : tensor.data;
    return [name, { data: dtype === 'int32' ? new Int32Array(Uint8Array.from(tensor.data).buffer) : data }] as const;
  });
  await device.write(state, Object.fromEntries(found));
}
