// Describes the rotary embedding for llama.cpp, by metadata or by a tensor of factors.
// Source: llama-model.cpp and llama-context.cpp of ggml-org/llama.cpp, rope_yarn of ggml.
import { ConfigFields, type ConfigJson } from '@bowyer/checkpoints';
import { ropeFields, type RotaryFrequencies } from '../../layers/rotary-frequencies.js';
import { count, real, text, type Entries } from './gguf-file.js';

interface Rope {
  entries: Entries;
  /** The divisors of the frequencies, by the name of their tensor. */
  factors: Readonly<Record<string, Float32Array>>;
  /** Differences between llama.cpp's computation and this model's, for the user. */
  notes: string[];
}

interface RopeOptions {
  /** The frequencies of all layers, or of those with full attention. */
  rotary: RotaryFrequencies;
  /** The rotary base, unless the scaling parameters contain one. */
  base: number;
  arch: string;
  /** Whether the architecture reads the tensor rope_freqs. */
  readsFactors: boolean;
  readsLongrope: boolean;
}

/** Describes the rotary embedding by llama.cpp's metadata. @param fail makes the error for a field that cannot be expressed */
export function ropeEntries(
  modelType: string,
  json: ConfigJson,
  options: RopeOptions,
  fail: (problem: string) => Error,
): Rope {
  const { name, scaling } = ropeFields(modelType, json);
  const type = String(scaling.rope_type ?? scaling.type ?? 'default');
  const fields = new ConfigFields(modelType, scaling, {}, `${name}.`);
  const { arch, rotary } = options;
  const base = typeof scaling.rope_theta === 'number' ? scaling.rope_theta : options.base;
  const plain = {
    [`${arch}.rope.freq_base`]: real(base),
    [`${arch}.rope.dimension_count`]: count(2 * rotary.frequencies.length),
  };
  const refused = () => fail(`${name}.rope_type is "${type}", which llama.cpp's architecture ${arch} does not read`);
  switch (type) {
    case 'default':
    case 'dynamic': // up to the trained context length, it is the same as no scaling
      return { entries: plain, factors: {}, notes: [] };
    case 'linear':
      return { entries: { ...plain, ...scaled(arch, 'linear', fields) }, factors: {}, notes: [] };
    case 'llama3':
      if (!options.readsFactors) throw refused();
      return { entries: plain, factors: { 'rope_freqs.weight': divisors(rotary, base) }, notes: [] };
    case 'yarn':
      return yarn(plain, fields, { ...options, original: originalLength(json, scaling) }, fail);
    case 'longrope':
    case 'su':
      if (!options.readsLongrope) throw refused();
      return longrope(plain, scaling, json, options);
    default:
      throw refused();
  }
}

const scaled = (arch: string, type: string, fields: ConfigFields): Entries => ({
  [`${arch}.rope.scaling.type`]: text(type),
  [`${arch}.rope.scaling.factor`]: real(fields.real('factor')),
});

/** Computes base^(−2i / dims) / frequency_i, by which llama.cpp divides base^(−2i / dims). */
function divisors({ frequencies }: RotaryFrequencies, base: number): Float32Array {
  const dims = 2 * frequencies.length;
  return frequencies.map((frequency, i) => base ** ((-2 * i) / dims) / frequency);
}

const originalLength = (json: ConfigJson, scaling: ConfigJson): number =>
  Number(
    json.original_max_position_embeddings ?? scaling.original_max_position_embeddings ?? json.max_position_embeddings,
  );

function yarn(
  plain: Entries,
  fields: ConfigFields,
  { arch, rotary, original }: RopeOptions & { original: number },
  fail: (problem: string) => Error,
): Rope {
  if (fields.isNull('factor')) throw fail('the factor of its yarn is null; write the number');
  const own = (field: string, otherwise: number) => (fields.value(field) ? fields.real(field) : otherwise);
  // llama.cpp multiplies cosines and sines by 0.1 ln(factor) + 1 and by an entry, which therefore has the quotient of the model's
  // factor and this number.
  const usual = 1 + 0.1 * Math.log(fields.real('factor'));
  const entries = {
    ...plain,
    ...scaled(arch, 'yarn', fields),
    [`${arch}.rope.scaling.original_context_length`]: count(original),
    [`${arch}.rope.scaling.yarn_beta_fast`]: real(own('beta_fast', 32)),
    [`${arch}.rope.scaling.yarn_beta_slow`]: real(own('beta_slow', 1)),
    [`${arch}.rope.scaling.attn_factor`]: real(rotary.magnitude / usual),
  };
  const notes =
    fields.value('truncate') === false
      ? ['llama.cpp rounds the ends of the YaRN ramp to whole frequencies, which the model (truncate: false) does not']
      : [];
  return { entries, factors: {}, notes };
}

function longrope(plain: Entries, scaling: ConfigJson, json: ConfigJson, { arch, rotary }: RopeOptions): Rope {
  const [short, long] = [scaling.short_factor, scaling.long_factor].map((list) => Float32Array.from(list as number[]));
  const entries = {
    ...plain,
    [`${arch}.rope.scaling.original_context_length`]: count(originalLength(json, scaling)),
    [`${arch}.rope.scaling.attn_factor`]: real(rotary.magnitude),
  };
  return { entries, factors: { 'rope_factors_long.weight': long, 'rope_factors_short.weight': short }, notes: [] };
}
