// Makes the entries of a GGUF file's metadata that determine llama.cpp's computation: the model's sizes and its rotary embedding.
import type { CausalArchitecture } from '../../architecture/architecture.js';
import type { FamilyConfig } from '../../decoder/family.js';
import type { Fail, GgufFamily } from './family.js';
import { count, real, type Entries } from './gguf-file.js';
import { ropeEntries } from './rope-entries.js';

interface ModelEntries {
  entries: Entries;
  /** Float32 tensors that llama.cpp needs beside the model's own, such as factors of the rotary frequencies. */
  vectors: Readonly<Record<string, Float32Array>>;
  notes: string[];
}

export function modelEntries(
  config: FamilyConfig,
  architecture: CausalArchitecture,
  family: GgufFamily,
  fail: Fail,
): ModelEntries {
  requireActivation(config, family, fail);
  const { arch } = family;
  const facts = family.describe(config, architecture, fail);
  const rope = facts.rope
    ? ropeEntries(
        config.type,
        facts.rope.json,
        {
          ...family,
          ...facts.rope,
          readsFactors: family.readsFactors ?? false,
          readsLongrope: family.readsLongrope ?? false,
        },
        fail,
      )
    : { entries: {}, factors: {}, notes: [] };
  const own = { ...sizeEntries(config, facts.contextLength ?? architecture.contextLength), ...facts.entries };
  return {
    entries: {
      ...Object.fromEntries(Object.entries(own).map(([name, entry]) => [`${arch}.${name}`, entry])),
      ...rope.entries,
    },
    vectors: rope.factors,
    notes: [...(facts.notes ?? []), ...rope.notes],
  };
}

function requireActivation({ fields }: FamilyConfig, { activation, arch }: GgufFamily, fail: Fail): void {
  const known = [activation].flat();
  const given = fields.value('hidden_act') ?? known[0];
  if (!known.includes(String(given)))
    throw fail(`its activation is ${String(given)}; llama.cpp's architecture ${arch} computes ${known.join(' or ')}`);
}

function sizeEntries({ fields, sizes }: FamilyConfig, contextLength: number): Entries {
  const { vocabSize, width, layers, heads, keyValueHeads, headSize } = sizes;
  const has = (field: string) => fields.value(field) !== undefined;
  return {
    vocab_size: count(vocabSize),
    context_length: count(contextLength),
    embedding_length: count(width),
    block_count: count(layers),
    ...(has('intermediate_size') && { feed_forward_length: count(fields.count('intermediate_size')) }),
    'attention.head_count': count(heads),
    'attention.head_count_kv': count(keyValueHeads),
    'attention.key_length': count(headSize),
    'attention.value_length': count(headSize),
    ...(has('rms_norm_eps') && { 'attention.layer_norm_rms_epsilon': real(fields.real('rms_norm_eps')) }),
  };
}
