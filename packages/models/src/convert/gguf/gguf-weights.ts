// Reads the parameters of a model in a GGUF file under their names in Hugging Face checkpoints. A parameter is read, dequantised
// and brought to Hugging Face's layout when it is requested.
import type { CheckpointReader, GgufFile } from '@bowyer/checkpoints';
import type { CausalArchitecture } from '../../architecture/architecture.js';
import { fileShape } from '../../architecture/checkpoint-layout.js';
import type { ParameterSpec } from '../../architecture/parameter-spec.js';
import { transpose } from '../../architecture/transpose.js';
import type { GgufFamily } from '../../export/gguf/family.js';
import { changeOf, plannedTensors } from '../../export/gguf/tensors.js';
import { positionTensors } from './gguf-metadata.js';

/** Says where a parameter's values are: in a tensor of the GGUF file, or in every second row of one. */
interface Place {
  tensor: string;
  shape: readonly number[];
  /** The parameter's index on the first axis of a tensor that contains several parameters. */
  part?: number;
  rows?: 'even' | 'odd';
}

/** @param fail makes the error about a tensor that is missing in the file or unknown to the model */
export function ggufWeights(
  file: GgufFile,
  family: GgufFamily,
  architecture: CausalArchitecture,
  fail: (problem: string, remedy?: string) => Error,
): CheckpointReader {
  const planned = plannedTensors({ family, architecture, fail });
  const places = new Map<string, { spec: ParameterSpec; places: Place[] }>();
  for (const [tensor, { shape, sources, isJoint }] of planned) {
    const found = file.tensors.get(tensor);
    if (found?.shape.join() !== shape.join())
      throw fail(
        `expected a tensor '${tensor}' of shape [${shape.join(', ')}], found ${found ? `[${found.shape.join(', ')}]` : 'none'}`,
        'the file is damaged, or a model of another form than its metadata say',
      );
    for (const [part, { spec, rows }] of sources.entries()) {
      const place = { tensor, shape: isJoint ? shape.slice(1) : shape, rows, ...(isJoint && { part }) };
      const known = places.get(spec.name);
      if (known) known.places.push(place);
      else places.set(spec.name, { spec, places: [place] });
    }
  }
  const extra = [...file.tensors.keys()].find((name) => !planned.has(name) && !positionTensors.includes(name));
  if (extra !== undefined) throw fail(`its tensor '${extra}' has no place in a ${family.arch} that is read here`);

  const readPlace = async ({ tensor, shape, part }: Place) =>
    changeOf(tensor, { family, architecture }, 'from')({ shape: [...shape], data: await file.read(tensor, part) }).data;
  return {
    path: file.path,
    entries: new Map(
      [...places].map(([name, { spec }]) => [name, { shape: fileShape(spec), dtype: 'F32', file: file.path }]),
    ),
    async read(name, { transposed = false } = {}) {
      const { spec, places: own } = places.get(name)!;
      const [first, second] = own;
      const data = first.rows ? await alternating(first, second, readPlace) : await readPlace(first);
      const isTransposed = spec.transposedInFile === true && !transposed;
      return {
        shape: transposed ? [...spec.shape] : [...fileShape(spec)],
        data: isTransposed ? transpose(data, spec.shape) : data,
      };
    },
    close: () => file.close(),
  };
}

/** Interleaves two tensors of the GGUF file, which become the even and the odd rows of one parameter. */
async function alternating(
  first: Place,
  second: Place,
  read: (place: Place) => Promise<Float32Array>,
): Promise<Float32Array> {
  const [even, odd] = first.rows === 'even' ? [first, second] : [second, first];
  const columns = even.shape[1] ?? 1;
  const data = new Float32Array(2 * even.shape[0] * columns);
  for (const [offset, place] of [even, odd].entries()) {
    const half = await read(place);
    for (let row = 0; row < even.shape[0]; row++)
      data.set(half.subarray(row * columns, (row + 1) * columns), (2 * row + offset) * columns);
  }
  return data;
}
