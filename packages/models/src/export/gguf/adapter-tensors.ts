// Writes the tensors of a LoRA adapter to GGUF: `NAME.lora_a` [rank, in] and `NAME.lora_b` [out, rank] for each tensor NAME that the
// adapter changes.
import type { HostTensors } from '@bowyer/checkpoints';
import type { CausalArchitecture } from '../../architecture/architecture.js';
import type { AdapterLayout, AdapterSpec } from '../../lora/adapter-layout.js';
import type { Fail, GgufFamily } from './family.js';
import { real, text, type Entries, type GgufTensor } from './gguf-file.js';
import { changeOf, tensorName } from './tensors.js';
import { tensorTypes, type TensorType } from './tensor-types.js';

interface AdapterOptions {
  family: GgufFamily;
  architecture: CausalArchitecture;
  layout: AdapterLayout;
  weights: HostTensors;
  type: TensorType;
  fail: Fail;
}

/**
 * Describes an adapter for llama.cpp, which multiplies B A by alpha / rank, with the same alpha for all tensors. If the weights
 * of an adapter have different factors, each is multiplied into its B, and alpha is 0, which llama.cpp reads as a factor of 1.
 */
export function adapterPart(options: AdapterOptions): { entries: Entries; tensors: GgufTensor[] } {
  const specs = [...options.layout.adapters.values()];
  const alphas = new Set(specs.map(({ scale, r }) => scale * r));
  const alpha = alphas.size === 1 ? [...alphas][0] : 0;
  return {
    entries: { 'general.type': text('adapter'), 'adapter.type': text('lora'), 'adapter.lora.alpha': real(alpha) },
    tensors: specs.flatMap((spec) => pairOf(spec, alpha === 0 ? spec.scale : 1, options)),
  };
}

function pairOf(spec: AdapterSpec, factor: number, options: AdapterOptions): GgufTensor[] {
  const { family, weights, type, fail } = options;
  const name = tensorName(family, spec.weight);
  if (name === undefined) throw fail(`llama.cpp's architecture ${family.arch} has no single tensor for ${spec.module}`);
  if (spec.magnitude !== undefined)
    throw fail(
      'the adapter has magnitudes (use_dora), which llama.cpp does not read; write it merged: task.merge=true',
    );
  const b = changeOf(name, options)(weights[spec.b]);
  return [
    tensor(`${name}.lora_a`, weights[spec.a], type),
    tensor(`${name}.lora_b`, { shape: b.shape, data: factor === 1 ? b.data : b.data.map((x) => factor * x) }, type),
  ];
}

/** Describes a tensor. Block formats are replaced by float16, since the rank need not be a multiple of a block. */
function tensor(name: string, { shape, data }: HostTensors[string], wanted: TensorType): GgufTensor {
  const type = wanted.block === 1 ? wanted : tensorTypes.f16;
  return {
    name,
    shape,
    type,
    pieces: async function* () {
      yield type.encode(data);
    },
  };
}
