// Makes the tensors of an exported model: parameters in the file's type of numbers, and quantised weights with their scales.
import type { FileTensor } from '@bowyer/graph';
import type { CausalArchitecture } from '../../architecture/architecture.js';
import type { ParameterSpec } from '../../architecture/parameter-spec.js';
import { quantize, type WeightInMemory } from '../../quantization/quantized-weight.js';
import type { WeightLayouts } from '../../quantization/weight-layouts.js';
import type { ReadParameter } from '../opened-model.js';
import { bytesOf, float16Bytes } from '../float-bytes.js';
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
        yield float === 'float32'
          ? bytesOf(numbers)
          : float16Bytes(numbers, 'leave fp16 and q4f16 out of dtype', `${spec.name}: `);
      }
    },
  };
}

/** Lists the tensors of one quantised weight. They are written one after the other; the weight is read and quantised once for all. */
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
      yield bytesOf(data!);
    },
  });
  const isLast = layout.bits === 8;
  return [
    part(names.packed, 'packed', false),
    part(names.scales, 'scales', isLast),
    ...(layout.bits === 4 ? [part(names.zeroPoints, 'zeroPoints', true)] : []),
  ];
}
