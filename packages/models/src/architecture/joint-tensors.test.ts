import type { CheckpointReader, HostTensors } from '@bowyer/checkpoints';
import { readParameters, toCheckpoint } from './checkpoint-layout.js';
import type { JointTensor, ParameterSpec } from './parameter-spec.js';

const spec = (name: string, shape: number[], joint: JointTensor): ParameterSpec => ({
  name,
  shape,
  joint,
  init: { kind: 'zeros' },
});

/** Makes a reader of a checkpoint in memory. Tensors stored as bytes are returned as numbers. */
function checkpoint(tensors: HostTensors): CheckpointReader {
  const entries = Object.entries(tensors).map(([name, { shape }]) => [
    name,
    { shape, dtype: 'F32' as const, file: 'f' },
  ]);
  return {
    path: 'f',
    entries: new Map(entries as [string, { shape: number[]; dtype: 'F32'; file: string }][]),
    read: (name) => Promise.resolve(tensors[name]),
    close: () => Promise.resolve(),
  };
}

const counted = (shape: number[]) => {
  const length = shape.reduce((a, b) => a * b);
  return { shape, data: Float32Array.from({ length }, (_, i) => i) };
};
const plain = async (specs: ParameterSpec[], tensors: HostTensors) =>
  Object.fromEntries(
    Object.entries(await readParameters(specs, checkpoint(tensors))).map(([name, { data }]) => [name, [...data]]),
  );

test('gates and ups of all experts in one tensor, the ups below the gates', async () => {
  const rows = (from: number) => ({ rows: { from, of: 4 }, saved: true });
  const at = (index: number, from: number) => ({ tensor: 'gate_up', count: 2, index, ...rows(from) });
  const specs = [0, 1].flatMap((e) => [spec(`${e}.gate`, [2, 3], at(e, 0)), spec(`${e}.up`, [2, 3], at(e, 2))]);
  const file = { gate_up: counted([2, 4, 3]) };
  expect(toCheckpoint(specs, await readParameters(specs, checkpoint(file)))).toEqual(file);
  expect(await plain(specs, file)).toEqual({
    '0.gate': [0, 1, 2, 3, 4, 5],
    '0.up': [6, 7, 8, 9, 10, 11],
    '1.gate': [12, 13, 14, 15, 16, 17],
    '1.up': [18, 19, 20, 21, 22, 23],
  });
  // The parameters are also read from a checkpoint without joint tensors, in which each has a tensor with its own name.
  const own = Object.fromEntries(specs.map(({ name }) => [name, counted([2, 3])]));
  expect((await plain(specs, own))['1.up']).toEqual([0, 1, 2, 3, 4, 5]);
});

test('what is saved in a joint tensor is read from it again, transposed as it is there', async () => {
  const at = (index: number) => ({ tensor: 'down', count: 2, index, transposed: true, saved: true });
  const specs = [0, 1].map((e) => spec(`${e}.down`, [3, 2], at(e)));
  const file = { down: counted([2, 2, 3]) };
  const read = await readParameters(specs, checkpoint(file));
  expect([...read['1.down'].data]).toEqual([6, 9, 7, 10, 8, 11]);
  expect(toCheckpoint(specs, read)).toEqual(file);
});

test('MXFP4: the low bits first, one scale for 32 numbers', async () => {
  const specs = [0, 1].map((e) => spec(`${e}.w`, [1, 32], { tensor: 'w', count: 2, index: e, transposed: true }));
  const blocks = new Float32Array(32);
  blocks[16] = 0x21; // expert 1: 0.5, then 1
  blocks[31] = 0xf0; // the last two values of the expert: 0, then −6
  const tensors = {
    w_blocks: { shape: [2, 1, 1, 16], data: blocks },
    w_scales: { shape: [2, 1, 1], data: Float32Array.of(127, 129) },
  };
  const { '0.w': first, '1.w': second } = await plain(specs, tensors);
  expect(first).toEqual(new Array(32).fill(0));
  expect([second[0], second[1], second[30], second[31]]).toEqual([2, 4, 0, -24]);
});

test('a joint tensor of another shape is refused with both shapes', async () => {
  const specs = [spec('0.w', [2, 3], { tensor: 'w', count: 2, index: 0 })];
  await expect(plain(specs, { w: counted([3, 2, 3]) })).rejects.toThrow(/\[2, 2, 3\].*\n.*\[3, 2, 3\]/s);
});
