// Between parameters as they lie in memory and as a Hugging Face checkpoint holds them: names, and Conv1D's transposition.
import type { ParameterSpec } from './architecture.js';
import type { HostTensor, HostTensors } from './safetensors.js';

/** Models with an LM head write `transformer.h.0…` or `model.layers.0…`, those without (and GPT-2's original release) `h.0…`. */
const PREFIX = /^(transformer|model|gpt_neox)\./;

/** Parameters out of a checkpoint's tensors; what the architecture does not list (mask buffers, tied heads) is dropped. */
export function fromCheckpoint(specs: readonly ParameterSpec[], tensors: HostTensors, source: string): HostTensors {
  const parameters: HostTensors = {};
  for (const spec of specs) {
    const bare = spec.name.replace(PREFIX, '');
    const tensor = tensors[spec.name] ?? tensors[bare];
    if (!tensor) {
      const known = Object.keys(tensors);
      throw new Error(
        `${source}: no tensor '${spec.name}' (nor '${bare}') for shape [${fileShape(spec).join(', ')}]\n  it holds ${known.length} tensors: ${known.slice(0, 4).join(', ')}, …\n  does config.json belong to these weights?`,
      );
    }
    if (tensor.shape.join() !== fileShape(spec).join())
      throw new Error(
        `${source}: '${spec.name}' has shape [${tensor.shape.join(', ')}], config.json asks for [${fileShape(spec).join(', ')}]`,
      );
    parameters[spec.name] = spec.transposedInFile ? transposed(tensor) : tensor;
  }
  return parameters;
}

/** The tensors as Python's transformers reads them. */
export function toCheckpoint(specs: readonly ParameterSpec[], parameters: HostTensors): HostTensors {
  return Object.fromEntries(
    specs.map((spec) => [spec.name, spec.transposedInFile ? transposed(parameters[spec.name]) : parameters[spec.name]]),
  );
}

const fileShape = ({ shape, transposedInFile }: ParameterSpec) => (transposedInFile ? [...shape].reverse() : shape);

/** [rows, columns] → [columns, rows], in blocks that stay in the cache. */
function transposed({ shape: [rows, columns], data }: HostTensor): HostTensor {
  const result = new Float32Array(data.length);
  const block = 32;
  for (let r0 = 0; r0 < rows; r0 += block) {
    for (let c0 = 0; c0 < columns; c0 += block) {
      const [rEnd, cEnd] = [Math.min(r0 + block, rows), Math.min(c0 + block, columns)];
      for (let r = r0; r < rEnd; r++) for (let c = c0; c < cEnd; c++) result[c * rows + r] = data[r * columns + c];
    }
  }
  return { shape: [columns, rows], data: result };
}
