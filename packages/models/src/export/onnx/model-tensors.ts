// The tensors of an exported model: parameters in the file's type of numbers, and quantised weights with their scales.
import { toFloat16, type FileTensor } from '@bowyer/graph';
import type { CausalArchitecture } from '../../architecture/architecture.js';
import type { ParameterSpec } from '../../architecture/parameter-spec.js';
import { quantize, type WeightInMemory } from '../../quantization/quantized-weight.js';
import type { WeightLayouts } from '../../quantization/weight-layouts.js';
import type { ReadParameter } from '../opened-model.js';
import { quantizedNames } from './export-scope.js';

/** The number of elements that are converted at a time. */
const PIECE = 2 ** 22;

interface TensorSource {
  read: ReadParameter;
  float: 'float32' | 'float16';
  layouts: WeightLayouts;
}

/** Returns all tensors that the graph may need, in the order of the parameters. */
export function modelTensors({ parameters }: CausalArchitecture, source: TensorSource): FileTensor[] {
  return parameters.flatMap((spec) => [floatTensor(spec, source), ...quantizedTensors(spec, source)]);
}

function floatTensor(spec: ParameterSpec, { read, float }: TensorSource): FileTensor {
  return {
    name: spec.name,
    pieces: async function* () {
      const { data } = await read(spec);
      for (let from = 0; from < data.length; from += PIECE) {
        const numbers = data.subarray(from, from + PIECE);
        yield bytes(float === 'float32' ? numbers : finiteHalves(spec.name, numbers));
      }
    },
  };
}

/**
 * Lists the tensors of one quantised weight. They are written one after the other, so the weight is read and quantised once for all of
 * them.
 */
function quantizedTensors(spec: ParameterSpec, { read, layouts }: TensorSource): FileTensor[] {
  const layout = layouts(spec.name, spec.shape);
  if (layout === undefined) return [];
  let weight: Promise<WeightInMemory> | undefined;
  const rounded = async () => quantize((await read(spec)).data, [spec.shape[0], spec.shape[1]], layout);
  const names = quantizedNames(spec.name);
  const part = (name: string, key: 'packed' | 'scales' | 'zeroPoints', isLast: boolean): FileTensor => ({
    name,
    pieces: async function* () {
      const { [key]: data } = await (weight ??= rounded());
      if (isLast) weight = undefined;
      yield bytes(data!);
    },
  });
  const isLast = layout.bits === 8;
  return [
    part(names.packed, 'packed', false),
    part(names.scales, 'scales', isLast),
    ...(layout.bits === 4 ? [part(names.zeroPoints, 'zeroPoints', true)] : []),
  ];
}

/**
 * Converts numbers to float16.
 *
 * @throws if a number exceeds the range of float16
 */
function finiteHalves(name: string, numbers: Float32Array): Uint16Array {
  const halves = toFloat16(numbers);
  const beyond = halves.findIndex((half) => (half & 0x7c00) === 0x7c00);
  if (beyond >= 0)
    throw new RangeError(
      `${name}: ${numbers[beyond]} is beyond the numbers of float16: leave fp16 and q4f16 out of dtype`,
    );
  return halves;
}

function bytes({ buffer, byteOffset, byteLength }: Float32Array | Uint16Array | Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
