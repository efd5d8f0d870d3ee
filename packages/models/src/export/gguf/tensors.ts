// Plans the tensors of a GGUF file, and computes each from the model's parameters when it is written.
import { ggufBytesOf, type HostTensor } from '@bowyer/checkpoints';
import type { ParameterSpec } from '../../architecture/parameter-spec.js';
import type { CausalArchitecture } from '../../architecture/architecture.js';
import type { GgufTensor } from './gguf-file.js';
import type { Fail, GgufFamily } from './family.js';
import type { ReadParameter } from '../opened-model.js';
import { tensorTypes, type TensorType, type TensorTypeName } from './tensor-types.js';

interface TensorOptions {
  family: GgufFamily;
  architecture: CausalArchitecture;
  read: ReadParameter;
  /** The type of matrices; norms, biases and other small tensors are float32. */
  dtype: TensorTypeName;
  vectors: Readonly<Record<string, Float32Array>>;
  fail: Fail;
}

/** A parameter that a tensor contains, wholly or as every second row. */
interface Source {
  spec: ParameterSpec;
  rows?: 'even' | 'odd';
}

export interface PlannedTensor {
  shape: number[];
  /** The parameters, in the order in which the tensor contains them. */
  sources: Source[];
  /** Whether the sources (the same weight of all experts) are stacked along a new first axis. */
  isJoint?: boolean;
}

/** Makes the tensors of the file, and notes about those that have another type than wanted. */
export function ggufTensors(options: TensorOptions): { tensors: GgufTensor[]; notes: string[] } {
  const planned = plannedTensors(options);
  const hasHead = planned.has('output.weight');
  const unfit: string[] = [];
  const tensors = [...planned].map(([name, { shape, sources }]): GgufTensor => {
    const type = typeOf(name, shape, options.dtype, hasHead);
    const chosen = fitting(type, shape.at(-1)!);
    if (chosen !== type) unfit.push(name);
    const change = changeOf(name, options);
    return { name, shape, type: chosen, pieces: () => pieces(name, sources, chosen, options.read, change) };
  });
  const { block } = tensorTypes[options.dtype];
  const instead = block > tensorTypes.q8_0.block ? 'q8_0, or float16 without blocks of 32' : 'float16';
  const notes =
    unfit.length === 0
      ? []
      : [
          `${unfit.length} tensors whose rows do not divide into blocks of ${block} are in ${instead}, the first: ${unfit[0]}`,
        ];
  return { tensors: [...Object.entries(options.vectors).map(vector), ...tensors], notes };
}

/** Returns the type, or, if its blocks do not divide a row, the next finer type whose blocks do. */
const fitting = (type: TensorType, row: number): TensorType =>
  [type, tensorTypes.q8_0].find(({ block }) => row % block === 0) ?? tensorTypes.f16;

const vector = ([name, numbers]: [string, Float32Array]): GgufTensor => ({
  name,
  shape: [numbers.length],
  type: tensorTypes.f32,
  pieces: async function* () {
    yield tensorTypes.f32.encode(numbers);
  },
});

/** Plans the tensors by name, in the order of the parameters. */
export function plannedTensors({
  family,
  architecture,
  fail,
}: Pick<TensorOptions, 'family' | 'architecture' | 'fail'>): Map<string, PlannedTensor> {
  const planned = new Map<string, PlannedTensor>();
  for (const spec of architecture.parameters) {
    const experts = expertPlaces(family, spec);
    for (const { tensor, rows } of experts ?? []) {
      const shape = rows === undefined ? spec.shape : [spec.shape[0] / 2, ...spec.shape.slice(1)];
      const joint = planned.get(tensor) ?? { shape: [0, ...shape], sources: [], isJoint: true };
      joint.shape[0]++;
      joint.sources.push({ spec, rows });
      planned.set(tensor, joint);
    }
    if (experts !== undefined) continue;
    const name = tensorName(family, spec.name);
    if (name === undefined) throw fail(`llama.cpp's architecture ${family.arch} has no place for ${spec.name}`);
    // Weights of depthwise convolutions have an axis of size 1, which llama.cpp does not have.
    planned.set(name, {
      shape: spec.shape.filter((size, axis) => axis !== 1 || spec.shape.length !== 3 || size !== 1),
      sources: [{ spec }],
    });
  }
  const embedding = planned.get('token_embd.weight')!;
  if (family.needsHead && !planned.has('output.weight')) planned.set('output.weight', embedding);
  return planned;
}

const LAYER = /^(?:model\.layers|transformer\.h)\.(\d+)\.(.+)$/;

function expertPlaces({ experts }: GgufFamily, { name }: ParameterSpec) {
  const [, layer, below] = LAYER.exec(name) ?? [];
  return below === undefined
    ? undefined
    : experts?.(below)?.map((place) => ({ ...place, tensor: `blk.${layer}.${place.tensor}` }));
}

/** Returns llama.cpp's name of a parameter; undefined if its graph has no such tensor. */
export function tensorName({ modules, biased = [] }: GgufFamily, name: string): string | undefined {
  const [, layer, below = name] = LAYER.exec(name) ?? [];
  const [, module, suffix = 'weight'] = /^(.+?)(?:\.(weight|bias))?$/.exec(below)!;
  const found = modules[module];
  if (found === undefined || (suffix === 'bias' && !biased.includes(found))) return undefined;
  return layer === undefined ? `${found}.${suffix}` : `blk.${layer}.${found}.${suffix}`;
}

/** The tensors that llama.cpp reads in float32, whatever the type of the others. */
const EXACT = /_norm\.weight$|\.bias$|ffn_gate_inp\.weight$|shortconv\.conv\.weight$|^position_embd/;

/** Chooses the type of a tensor. With 4-bit types, the head (or the embedding, if they are tied) has 8 bits. */
function typeOf(name: string, shape: readonly number[], dtype: TensorTypeName, hasHead: boolean): TensorType {
  if (shape.length < 2 || EXACT.test(name)) return tensorTypes.f32;
  const isHead = name === (hasHead ? 'output.weight' : 'token_embd.weight');
  return tensorTypes[isHead && dtype.startsWith('q4') ? 'q8_0' : dtype];
}

type Change = (tensor: HostTensor) => HostTensor;

/** Finds the conversion of a tensor that llama.cpp stores differently, `to` its form or `from` it. */
export function changeOf(
  name: string,
  { family, architecture: { heads, keyValueHeads } }: Pick<TensorOptions, 'family' | 'architecture'>,
  direction: 'to' | 'from' = 'to',
): Change {
  const turned = /\.attn_([qk])\.(weight|bias)/.exec(name)?.[1];
  if (family.rotatesNeighbours && turned !== undefined)
    return (tensor) => interleavedHalves(tensor, turned === 'q' ? heads : keyValueHeads, direction);
  if (family.normsFromOne && name.endsWith('_norm.weight'))
    return ({ shape, data }) => ({ shape, data: data.map((x) => (direction === 'to' ? x + 1 : x - 1)) });
  return (tensor) => tensor;
}

/**
 * Reorders the rows of a weight. Rotary embedding rotates columns i and i + d/2 of a head together in Hugging Face's layout, and columns
 * 2i and 2i + 1 in llama.cpp's, so that the rows [head, half, i] which produce these columns are reordered to [head, i, half].
 */
function interleavedHalves({ shape, data }: HostTensor, heads: number, direction: 'to' | 'from'): HostTensor {
  const columns = shape[1] ?? 1;
  const pairs = shape[0] / heads / 2;
  const turned = new Float32Array(data.length);
  for (let row = 0; row < shape[0]; row++) {
    const [head, half, i] = [Math.floor(row / pairs / 2), Math.floor(row / pairs) % 2, row % pairs];
    const other = (head * pairs + i) * 2 + half;
    const [from, to] = direction === 'to' ? [row, other] : [other, row];
    turned.set(data.subarray(from * columns, (from + 1) * columns), to * columns);
  }
  return { shape, data: turned };
}

/** The number of elements that are encoded at a time. */
const PIECE = 2 ** 22;

async function* pieces(
  name: string,
  sources: readonly Source[],
  type: TensorType,
  read: ReadParameter,
  change: Change,
): AsyncGenerator<Uint8Array> {
  for (const { spec, rows } of sources) {
    const tensor = await read(spec);
    const { data } = change(rows === undefined ? tensor : everySecondRow(tensor, rows));
    for (let from = 0; from < data.length; from += PIECE) yield encoded(name, type, data.subarray(from, from + PIECE));
  }
}

function encoded(name: string, type: TensorType, numbers: Float32Array): Uint8Array {
  try {
    return type.encode(numbers);
  } catch (error) {
    throw error instanceof RangeError ? new RangeError(`${name}: ${error.message}`) : error;
  }
}

function everySecondRow({ shape: [rows, columns = 1], data }: HostTensor, which: 'even' | 'odd'): HostTensor {
  const half = new Float32Array(data.length / 2);
  for (let row = 0; row < rows / 2; row++) {
    const from = (2 * row + (which === 'odd' ? 1 : 0)) * columns;
    half.set(data.subarray(from, from + columns), row * columns);
  }
  return { shape: [rows / 2, columns], data: half };
}

export const totalBytes = (tensors: readonly GgufTensor[]): number =>
  tensors.reduce((sum, { type, shape }) => sum + ggufBytesOf(type, shape), 0);
