// Reads checkpoints of llama2.c (`.bin`, version 0): a header of seven numbers, then float32 matrices, grouped by kind and in the
// order of layers. Source: https://github.com/karpathy/llama2.c, run.c (`memory_map_weights`) and export.py (`legacy_export`).
import { ByteSource } from '../io/byte-source.js';
import { WeightsFileError } from '../io/weights-file-error.js';
import type { HostTensor, HostTensors } from '../io/host-tensor.js';
import { firstNonFinite, nonFiniteAdvice, type CheckpointReader } from '../io/checkpoint-reader.js';

export interface Llama2cCheckpoint {
  /** The config in the format of a Hugging Face Llama's config.json. */
  config: Record<string, unknown>;
  /** The tensors, with the names of LlamaForCausalLM. */
  tensors: HostTensors;
}

/** The magic number of later versions ('ak42'). */
const VERSIONED = 0x616b3432;

export async function readLlama2c(path: string): Promise<Llama2cCheckpoint> {
  const { config, source } = await openLlama2c(path);
  try {
    const tensors: [string, HostTensor][] = [];
    for (const name of source.entries.keys()) tensors.push([name, await source.read(name)]);
    return { config, tensors: Object.fromEntries(tensors) };
  } finally {
    await source.close();
  }
}

/** Opens a llama2.c checkpoint, whose tensors are read on request. */
export async function openLlama2c(
  path: string,
): Promise<{ config: Record<string, unknown>; source: CheckpointReader }> {
  const bytes = await ByteSource.open(path);
  try {
    const config = configOf(path, new Int32Array((await bytes.read(0, 28, 'the header')).buffer));
    // A damaged header must not make the program allocate a list of a billion layers.
    if (4 * config.layers * config.dim > bytes.size)
      throw new WeightsFileError(
        path,
        `its header specifies ${config.layers} layers of width ${config.dim}, the file has ${bytes.size} bytes`,
      );
    const places = placesOf(config);
    if (places.end !== bytes.size)
      throw new WeightsFileError(path, `its header requires ${places.end} bytes, the file has ${bytes.size}`);
    const source: CheckpointReader = {
      path,
      entries: new Map([...places.tensors].map(([name, { shape }]) => [name, { shape, dtype: 'F32', file: path }])),
      read: async (name, { transposed = false, requireFinite = false } = {}) => {
        const { position, shape, pairedHeads } = places.tensors.get(name)!;
        const data = new Float32Array(elements(shape));
        await bytes.fill(position, new Uint8Array(data.buffer), `'${name}'`);
        const wrong = requireFinite ? firstNonFinite(data) : null;
        if (wrong !== null)
          throw new WeightsFileError(
            path,
            `tensor '${name}': expected finite numbers, found ${wrong}`,
            nonFiniteAdvice,
          );
        if (transposed) throw new TypeError('llama2.c keeps every matrix as [out, in]');
        return pairedHeads ? halvesFromPairs({ shape, data }, pairedHeads) : { shape, data };
      },
      close: () => bytes.close(),
    };
    return { config: hubConfig(config), source };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

const elements = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);

/** Returns the offset of each tensor, and the length that the file must have. */
function placesOf(sizes: Sizes) {
  const tensors = new Map<string, { position: number; shape: number[]; pairedHeads?: number }>();
  let end = 28;
  for (const { names, shape, pairedHeads } of blocks(sizes)) {
    for (const name of names) {
      tensors.set(name, { position: end, shape, pairedHeads });
      end += 4 * elements(shape);
    }
    if (names.includes('model.norm.weight')) end += rotaryTableBytes(sizes);
  }
  return { tensors, end };
}

interface Sizes {
  dim: number;
  hidden: number;
  layers: number;
  heads: number;
  keyValueHeads: number;
  vocabulary: number;
  isTied: boolean;
  context: number;
}

/** Reads the sizes in the header. A negative vocabulary size means that the file ends with a separate output matrix. */
function configOf(path: string, [dim, hidden, layers, heads, keyValueHeads, vocabulary, context]: Int32Array): Sizes {
  if (dim === VERSIONED)
    throw new WeightsFileError(
      path,
      `it is of version ${hidden} of llama2.c's format`,
      'only version 0 is read: export it with --version 0',
    );
  const sizes = {
    dim,
    hidden,
    layers,
    heads,
    keyValueHeads,
    vocabulary: Math.abs(vocabulary),
    isTied: vocabulary > 0,
    context,
  };
  const wrong = Object.entries(sizes).find(([, size]) => typeof size === 'number' && size < 1);
  if (wrong || dim % heads !== 0 || heads % keyValueHeads !== 0)
    throw new WeightsFileError(
      path,
      `its header [${[dim, hidden, layers, heads, keyValueHeads, vocabulary, context].join(', ')}] contains no valid model sizes`,
    );
  return sizes;
}

/** Matrices of one kind that are consecutive in the file, such as the query projections of all layers. */
interface Block {
  names: string[];
  shape: number[];
  /** The number of heads whose rows must be reordered (see `halvesFromPairs`). */
  pairedHeads?: number;
}

function blocks({ dim, hidden, layers, heads, keyValueHeads, vocabulary, isTied }: Sizes): Block[] {
  const each = (part: string, shape: number[], pairedHeads?: number): Block => ({
    names: Array.from({ length: layers }, (_, layer) => `model.layers.${layer}.${part}.weight`),
    shape,
    pairedHeads,
  });
  const keys = (dim / heads) * keyValueHeads;
  return [
    { names: ['model.embed_tokens.weight'], shape: [vocabulary, dim] },
    each('input_layernorm', [dim]),
    each('self_attn.q_proj', [dim, dim], heads),
    each('self_attn.k_proj', [keys, dim], keyValueHeads),
    each('self_attn.v_proj', [keys, dim]),
    each('self_attn.o_proj', [dim, dim]),
    each('post_attention_layernorm', [dim]),
    each('mlp.gate_proj', [hidden, dim]),
    each('mlp.down_proj', [dim, hidden]),
    each('mlp.up_proj', [hidden, dim]),
    { names: ['model.norm.weight'], shape: [dim] },
    ...(isTied ? [] : [{ names: ['lm_head.weight'], shape: [vocabulary, dim] }]),
  ];
}

/** Returns the size in bytes of the stored tables of cosines and sines, which are redundant. */
const rotaryTableBytes = ({ dim, heads, context }: Sizes) => 4 * context * (dim / heads);

/** Reorders the rows of each head: llama2.c rotates the pairs (2i, 2i + 1), Hugging Face the pairs (i, i + headSize / 2). */
function halvesFromPairs({ shape, data }: HostTensor, heads: number): HostTensor {
  const [rows, columns] = shape;
  const headSize = rows / heads;
  const result = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    const [head, within] = [Math.floor(row / headSize), row % headSize];
    const to = head * headSize + (within % 2) * (headSize / 2) + Math.floor(within / 2);
    result.set(data.subarray(row * columns, (row + 1) * columns), to * columns);
  }
  return { shape, data: result };
}

const hubConfig = ({ dim, hidden, layers, heads, keyValueHeads, vocabulary, isTied, context }: Sizes) => ({
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  vocab_size: vocabulary,
  hidden_size: dim,
  intermediate_size: hidden,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  num_key_value_heads: keyValueHeads,
  max_position_embeddings: context,
  hidden_act: 'silu',
  rms_norm_eps: 1e-5, // both are constants of llama2.c
  rope_theta: 10000,
  tie_word_embeddings: isTied,
  bos_token_id: 1,
  eos_token_id: 2,
  torch_dtype: 'float32',
});
