// Describes a family of decoders (models with one `model_type`): how its config.json is read, and how it differs from the plain
// decoder (plain-decoder.ts).
import { ConfigFields, UnsupportedConfigError, type ConfigJson } from '@bowyer/checkpoints';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { savedConfig } from '../architecture/saved-config.js';
import { refuseCommonFields } from './common-fields.js';
import { ropeFields, rotaryFrequencies, type RotaryFrequencies } from '../layers/rotary-frequencies.js';

/** Describes one family of decoders; each file in families/ has one or several. */
export interface Family {
  /** The name of Hugging Face's model class, which config.json has under `architectures`. */
  architecture: string;
  /** The defaults of Hugging Face's config class, for fields that a config.json leaves out. */
  defaults: ConfigJson;
  /** The kinds of quantised weights (`quant_method` of config.json) that can be read; such weights are dequantised. */
  quantizations?: readonly string[];
  /** Whether the family supports `per_layer_config`, which gives layers different shapes. */
  readsLayerConfigs?: boolean;
  /** Names of fields that only this family's files have, with the common names under which this package reads the fields. */
  aliases?: Readonly<Record<string, string>>;
  /** Lists fields that Hugging Face's class for this family ignores, so that they must have no effect here either. */
  ignores?(file: ConfigJson): readonly string[];
  /** Returns the number of key and value heads; undefined: as many as `heads`. Omitted: num_key_value_heads is read. */
  keyValueHeads?(fields: ConfigFields): number | undefined;
  build(config: FamilyConfig): CausalArchitecture;
}

export interface Sizes {
  vocabSize: number;
  width: number;
  layers: number;
  heads: number;
  /** The number of key and value heads, a divisor of `heads`. */
  keyValueHeads: number;
  headSize: number;
}

interface RotaryOptions {
  share?: number | 'partial_rotary_factor';
  interleaved?: boolean;
  json?: ConfigJson;
}

export type LayerKind = 'full_attention' | 'sliding_attention';

/**
 * Reads a config.json, in which the defaults of its family replace missing fields. Each field is checked when it is read; an
 * `UnsupportedConfigError` names the field.
 */
export class FamilyConfig {
  readonly fields: ConfigFields;
  /** The file's fields; a field with a family-specific name is listed under its common name as well. */
  readonly json: ConfigJson;
  #sizes?: Sizes;

  constructor(
    readonly type: string,
    private readonly family: Family,
    private readonly file: ConfigJson,
  ) {
    const renamed = Object.entries(family.aliases ?? {}).flatMap(([name, common]) =>
      name in file ? [[common, file[name]] as const] : [],
    );
    const ignored = family.ignores?.(file) ?? [];
    for (const [name, common] of Object.entries(family.aliases ?? {}))
      if (!ignored.includes(common)) refuseTwoValues(type, file, name, common);
    const read = Object.fromEntries(Object.entries(file).filter(([field]) => !ignored.includes(field)));
    this.json = { ...Object.fromEntries(renamed), ...read };
    this.fields = new ConfigFields(type, this.json, family.defaults);
    refuseCommonFields(this.fields, file, family);
  }

  /**
   * Returns the config.json with which the model is saved: the file as it was read, without its quantization, since weights are
   * saved in float32.
   */
  get saved(): ConfigJson {
    const file = Object.fromEntries(Object.entries(this.file).filter(([field]) => field !== 'quantization_config'));
    return savedConfig({ ...file, model_type: this.type, architectures: [this.family.architecture] });
  }

  get sizes(): Sizes {
    return (this.#sizes ??= this.#readSizes());
  }

  #readSizes(): Sizes {
    const { fields } = this;
    const heads = fields.count('num_attention_heads');
    const hasHeadDim = fields.value('head_dim') !== undefined;
    const width = hasHeadDim ? fields.count('hidden_size') : fields.multiple('hidden_size', 'num_attention_heads');
    const keyValueHeads = (this.family.keyValueHeads ?? namedKeyValueHeads)(fields) ?? heads;
    if (heads % keyValueHeads !== 0)
      throw fields.error(
        'num_key_value_heads',
        `is ${keyValueHeads}, which does not divide num_attention_heads ${heads}`,
      );
    const headSize = hasHeadDim ? fields.count('head_dim') : width / heads;
    return {
      vocabSize: fields.count('vocab_size'),
      layers: fields.layers('num_hidden_layers'),
      width,
      heads,
      keyValueHeads,
      headSize,
    };
  }

  /**
   * Computes the frequencies of rotary embedding.
   *
   * @param options.share the share of a head's columns that are rotated; 'partial_rotary_factor' reads it from the file
   * @param options.interleaved whether neighbouring columns are rotated together, instead of column i with column i + half
   * @param options.json the object that has the rope fields; the whole file by default
   */
  rotary({ share = 1, interleaved, json = this.json }: RotaryOptions = {}): RotaryFrequencies {
    const { fields, type } = this;
    const { headSize } = this.sizes;
    const rotaryDims = Math.floor(headSize * (share === 'partial_rotary_factor' ? this.#share(json) : share));
    if (share === 1) this.#refusePartial(json);
    if (share === 1 && headSize % 2 !== 0)
      throw fields.error('head_dim', `is ${headSize}; rotary embedding needs an even number`);
    if (rotaryDims < 2 || rotaryDims % 2 !== 0 || rotaryDims > headSize)
      throw fields.error(
        'partial_rotary_factor',
        `makes ${rotaryDims} of a head's ${headSize} columns rotate; the number must be even and at least 2`,
      );
    const frequencies = rotaryFrequencies(type, json, {
      rotaryDims,
      defaultBase: Number(this.family.defaults.rope_theta ?? 10000),
      trainedLength: fields.count('max_position_embeddings'),
    });
    return interleaved ? { ...frequencies, interleaved } : frequencies;
  }

  /** Reads which share of a head's columns is rotated; only newer files have the field in rope_parameters. */
  #share(json: ConfigJson): number {
    const given = ropeFields(this.type, json).scaling.partial_rotary_factor;
    const { fields } = this;
    return given === undefined
      ? fields.real('partial_rotary_factor')
      : new ConfigFields(this.type, { partial_rotary_factor: given }, {}).real('partial_rotary_factor');
  }

  #refusePartial(json: ConfigJson): void {
    this.fields.refuse('partial_rotary_factor', 1);
    const { name, scaling } = ropeFields(this.type, json);
    new ConfigFields(this.type, scaling, {}, `${name}.`).refuse('partial_rotary_factor', 1);
  }

  /**
   * Computes the rotary frequencies for each kind of layer (full attention or sliding window), for which `rope_parameters` has an
   * object each; `rope_scaling` of older files applies to layers with full attention.
   *
   * @param bases the rotary base for each kind of layer whose object states none
   */
  rotaryByKind(bases: Record<LayerKind, number>): Record<LayerKind, RotaryFrequencies> {
    const { rope_parameters, rope_scaling } = this.json as Record<
      string,
      Record<string, ConfigJson> | null | undefined
    >;
    for (const [name, given] of Object.entries({ rope_parameters, rope_scaling }))
      if (typeof (given ?? {}) !== 'object') throw this.fields.error(name, 'must be an object or null');
    const of = (kind: LayerKind) => {
      const scaled = kind === 'full_attention' ? rope_scaling : {};
      const own = { rope_type: 'default', rope_theta: bases[kind], ...rope_parameters?.[kind], ...scaled };
      return this.rotary({ json: { rope_parameters: own } });
    };
    return { full_attention: of('full_attention'), sliding_attention: of('sliding_attention') };
  }

  /** Reads a number; returns `otherwise` if the file and the defaults have none. */
  realOr(field: string, otherwise: number): number {
    return this.optionalReal(field) ?? otherwise;
  }

  /** Reads a count, for which 0 is allowed. */
  countFrom0(field: string): number {
    const value = this.fields.value(field);
    return value === 0 ? 0 : this.fields.count(field);
  }

  /** Reads a list of layer indices; undefined where the file does not have the field. */
  layerIndices(field: string): number[] | undefined {
    const listed = this.fields.value(field);
    if (listed === undefined) return undefined;
    if (!Array.isArray(listed) || !listed.every((index) => Number.isInteger(index)))
      throw this.fields.error(field, 'must be a list of layers');
    return listed as number[];
  }

  /** Reads a number; returns undefined if the file and the defaults have none. */
  optionalReal(field: string): number | undefined {
    return this.fields.value(field) === undefined ? undefined : this.fields.real(field);
  }

  /**
   * Reads the kind of each layer's mixer (e.g. attention or convolution) from `layer_types`.
   *
   * @param kindOf the kind of a layer if the file has no `layer_types`; if omitted, the file must have the field
   */
  mixerKinds<Kind extends string>(known: readonly Kind[], kindOf?: (layer: number) => Kind): Kind[] {
    const { fields } = this;
    const { layers } = this.sizes;
    const kinds = fields.value('layer_types');
    if (kinds === undefined && kindOf) return Array.from({ length: layers }, (_, layer) => kindOf(layer));
    if (!Array.isArray(kinds) || kinds.length !== layers)
      throw fields.error('layer_types', `must list the kind of each of the ${layers} layers`);
    const unknown: unknown = kinds.find((kind) => !known.includes(kind as Kind));
    if (unknown !== undefined)
      throw fields.error(
        'layer_types',
        `has ${JSON.stringify(unknown)}, which is not supported; known: ${known.join(', ')}`,
      );
    return kinds as Kind[];
  }

  /** Reads from `layer_types` which layers have a sliding window; if the file does not have the field, `slides` decides. */
  layerKinds(slides: (layer: number) => boolean): LayerKind[] {
    return this.mixerKinds(['full_attention', 'sliding_attention'], (layer) =>
      slides(layer) ? 'sliding_attention' : 'full_attention',
    );
  }

  get hasWindow(): boolean {
    return this.fields.value('sliding_window') !== undefined;
  }

  /** Whether the file states a sliding window and turns it on, for families that have the field `use_sliding_window`. */
  get usesWindow(): boolean {
    return this.fields.flag('use_sliding_window') && this.hasWindow;
  }

  /**
   * Returns, for each layer, the number of tokens that a token attends to; undefined for layers with full attention, and where
   * the window is as wide as the context.
   */
  windows(kinds: readonly LayerKind[], contextLength: number): (number | undefined)[] {
    const { fields } = this;
    const size = this.hasWindow ? fields.count('sliding_window') : undefined;
    if (size === undefined && kinds.includes('sliding_attention'))
      throw fields.error('layer_types', `has sliding_attention, but sliding_window is not set`);
    return kinds.map((kind) => (kind === 'sliding_attention' && size! < contextLength ? size : undefined));
  }
}

/** Refuses a field with different values under two names: which of them applies depends on Hugging Face's class. */
function refuseTwoValues(type: string, file: ConfigJson, name: string, common: string): void {
  const [one, other] = [file[name] ?? null, file[common] ?? null];
  if (one !== null && other !== null && one !== other)
    throw new UnsupportedConfigError(
      type,
      name,
      `is ${JSON.stringify(one)}, but ${common}, another name of it, is ${JSON.stringify(other)}`,
    );
}

const namedKeyValueHeads = (fields: ConfigFields) =>
  fields.value('num_key_value_heads') === undefined ? undefined : fields.count('num_key_value_heads');
