// Reads parameters that a checkpoint stores together in one joint tensor (e.g. the weights of all experts) as if each parameter
// were a tensor of its own, and joins them again for saving.
import {
  CheckpointError,
  dequantizeMxfp4,
  MXFP4_BLOCK,
  type CheckpointReader,
  type HostTensor,
  type HostTensors,
} from '@bowyer/checkpoints';
import type { JointTensor, ParameterSpec } from './parameter-spec.js';
import { transpose } from './transpose.js';

type JointSpec = ParameterSpec & { joint: JointTensor };

const size = (shape: readonly number[]) => shape.reduce((product, dim) => product * dim, 1);

/** Returns the names of the two tensors, blocks and scales, that a checkpoint in MXFP4 has in place of a joint tensor. */
const packedNames = (tensor: string) => ({ blocks: `${tensor}_blocks`, scales: `${tensor}_scales` });

/**
 * Returns a reader that shows each parameter stored in a joint tensor as a separate tensor under the parameter's own name.
 *
 * @param namesOf lists all names that a file may use for a parameter
 */
export function withSeparateParameters(
  specs: readonly ParameterSpec[],
  source: CheckpointReader,
  namesOf: (name: string) => readonly string[],
): CheckpointReader {
  const { entries } = source;
  const inFile = (tensor: string) =>
    namesOf(tensor).find((name) => entries.has(name) || entries.has(packedNames(name).blocks));
  const joint = new Map(
    specs.flatMap((spec): [string, JointSpec][] => {
      const tensor = spec.joint && inFile(spec.joint.tensor);
      if (tensor === undefined || namesOf(spec.name).some((name) => entries.has(name))) return [];
      return [[spec.name, { ...spec, joint: { ...spec.joint!, tensor } }]];
    }),
  );
  if (joint.size === 0) return source;
  const separate = new Map(entries);
  for (const { name, shape, joint: at } of joint.values()) {
    const { blocks, scales } = packedNames(at.tensor);
    const { file } = entries.get(at.tensor) ?? entries.get(blocks)!;
    for (const taken of [at.tensor, blocks, scales]) separate.delete(taken);
    separate.set(name, { shape, dtype: 'F32', file });
  }
  const parts = new JointParts(source);
  return {
    path: source.path,
    entries: separate,
    read: (name, options) => (joint.has(name) ? parts.read(joint.get(name)!) : source.read(name, options)),
    close: () => source.close(),
  };
}

/** The number of joint tensors cached in memory: an expert's parameters come from two, each of which is two tensors in MXFP4. */
const KEPT = 4;

class JointParts {
  readonly #kept = new Map<string, Promise<HostTensor>>();

  constructor(private readonly source: CheckpointReader) {}

  async read(spec: JointSpec): Promise<HostTensor> {
    const { shape, joint } = spec;
    const isPacked = !this.source.entries.has(joint.tensor);
    const part = isPacked ? await this.#packedPart(spec) : await this.#plainPart(spec);
    const ownSize = size(shape);
    if (joint.transposed && !isPacked) return { shape, data: transpose(part, [...shape].reverse()) };
    const from = joint.rows ? joint.rows.from * size(shape.slice(1)) : 0;
    return { shape, data: part.slice(from, from + ownSize) };
  }

  async #plainPart(spec: JointSpec): Promise<Float32Array> {
    const part = partShape(spec);
    const { data } = await this.#tensor(spec, spec.joint.tensor, [spec.joint.count, ...part]);
    return data.subarray(spec.joint.index * size(part), (spec.joint.index + 1) * size(part));
  }

  async #packedPart(spec: JointSpec): Promise<Float32Array> {
    const { count, index, tensor } = spec.joint;
    const [outputs, inputs] = spec.shape;
    const scaled = [outputs, inputs / MXFP4_BLOCK];
    const names = packedNames(tensor);
    const blocks = await this.#tensor(spec, names.blocks, [count, ...scaled, MXFP4_BLOCK / 2]);
    const scales = await this.#tensor(spec, names.scales, [count, ...scaled]);
    const piece = ({ data }: HostTensor) => {
      const length = data.length / count;
      return data.subarray(index * length, (index + 1) * length);
    };
    return dequantizeMxfp4(piece(blocks), piece(scales));
  }

  async #tensor({ name }: JointSpec, tensor: string, expected: readonly number[]): Promise<HostTensor> {
    const entry = this.source.entries.get(tensor);
    const found = entry ? `shape [${entry.shape.join(', ')}]` : 'no such tensor';
    if (entry?.shape.join() !== expected.join()) {
      const wanted = `shape [${expected.join(', ')}], which contains '${name}', as config.json specifies`;
      throw new CheckpointError(entry?.file ?? this.source.path, tensor, wanted, found);
    }
    let kept = this.#kept.get(tensor);
    if (!kept) this.#kept.set(tensor, (kept = this.source.read(tensor, { requireFinite: true })));
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return kept;
  }
}

function partShape({ shape, joint }: JointSpec): number[] {
  if (joint.transposed) return [...shape].reverse();
  return joint.rows ? [joint.rows.of, ...shape.slice(1)] : shape;
}

/** Returns the tensors of a checkpoint: parameters whose spec says `joint.saved` are combined into their joint tensors. */
export function withJointTensors(specs: readonly ParameterSpec[], tensors: HostTensors): HostTensors {
  const result = { ...tensors };
  for (const { name, shape, init, joint } of specs) {
    if (!joint?.saved) continue;
    const own = result[name].data;
    delete result[name];
    const part = partShape({ name, shape, init, joint });
    result[joint.tensor] ??= { shape: [joint.count, ...part], data: new Float32Array(joint.count * size(part)) };
    const data = joint.transposed ? transpose(own, [...part].reverse()) : own;
    const from = joint.rows ? joint.rows.from * size(shape.slice(1)) : 0;
    result[joint.tensor].data.set(data, joint.index * size(part) + from);
  }
  return result;
}
