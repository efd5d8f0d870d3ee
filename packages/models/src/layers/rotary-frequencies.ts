// Computes the frequencies of rotary embedding (RoPE), also with the methods that scale them to longer contexts.
// Source: Su et al. 2021, arXiv:2104.09864; scaling variants as Hugging Face's `rope_scaling` names them.
import { ConfigFields, UnsupportedConfigError, type ConfigJson } from '@bowyer/checkpoints';

/** The frequencies of a rotary embedding, and further settings that the scaling method determines. */
export interface RotaryFrequencies {
  /** [rotaryDims / 2] radians per position. */
  frequencies: Float32Array;
  /** Factor of the cosines and sines (YaRN); 1 for other methods. */
  magnitude: number;
  /** The longest context in tokens for which the positions were trained. */
  contextLength: number;
  /** The reason why `contextLength` is shorter than the file allows, if it is. */
  contextReason?: string;
  /** Whether neighbouring columns (2i, 2i + 1) are rotated together, instead of columns (i, i + rotaryDims / 2). */
  interleaved?: boolean;
}

const variants = ['default', 'linear', 'dynamic', 'llama3', 'yarn', 'longrope', 'proportional'] as const;

/**
 * Reads the scaling parameters: a non-empty `rope_scaling` of older files, else `rope_parameters`, as transformers chooses if a file
 * has both.
 *
 * @returns the field's name and value; an empty object if the file has none
 */
export function ropeFields(modelType: string, json: ConfigJson): { name: string; scaling: ConfigJson } {
  for (const name of ['rope_scaling', 'rope_parameters']) {
    const scaling = json[name] ?? {};
    if (typeof scaling !== 'object' || Array.isArray(scaling))
      throw new UnsupportedConfigError(modelType, name, `must be an object or null, not ${JSON.stringify(scaling)}`);
    const [nested] = Object.entries(scaling).find(([, value]) => value?.constructor === Object) ?? [];
    if (nested !== undefined)
      throw new UnsupportedConfigError(
        modelType,
        `${name}.${nested}`,
        'is an object: a scaling for each kind of layer is not supported',
      );
    if (Object.keys(scaling).length > 0) return { name, scaling: scaling as ConfigJson };
  }
  return { name: 'rope_parameters', scaling: {} };
}

/**
 * Computes frequency_i = base^(−2i / rotaryDims), scaled as `rope_scaling` or `rope_parameters` specifies.
 *
 * @param rotaryDims the number of rotated columns of a head, even
 * @param json the whole config.json. The fields rope_scaling, rope_parameters, rope_theta and original_max_position_embeddings are
 *   read; the scaling's own rope_theta takes precedence, its original_max_position_embeddings does not
 * @param defaultBase the base if the file has no rope_theta
 */
export function rotaryFrequencies(
  modelType: string,
  json: ConfigJson,
  { rotaryDims, defaultBase, trainedLength }: { rotaryDims: number; defaultBase: number; trainedLength: number },
): RotaryFrequencies {
  const { name, scaling } = ropeFields(modelType, json);
  const type = scaling.rope_type ?? scaling.type ?? 'default';
  const fields = new ConfigFields(modelType, { ...scaling, rope_type: type }, defaults, `${name}.`);
  const whole = new ConfigFields(modelType, json, { rope_theta: defaultBase });
  const base = ('rope_theta' in scaling ? fields : whole).real('rope_theta');
  const original = () => originalLength(whole, fields, json, scaling, trainedLength);
  const plain = plainFrequencies(base, rotaryDims);
  const unscaled = { frequencies: plain, magnitude: 1, contextLength: trainedLength };
  switch (fields.choice('rope_type', variants)) {
    case 'default':
      return unscaled;
    case 'dynamic':
      // Dynamic NTK scaling changes the base only for texts longer than the trained length, to which contexts are limited.
      return unscaled;
    case 'linear':
      return { ...unscaled, frequencies: plain.map((frequency) => frequency / factorOf(fields)) };
    case 'llama3':
      return { ...unscaled, frequencies: llama3(plain, original(), fields) };
    case 'yarn':
      return yarn(plain, base, { original: original(), trained: trainedLength }, fields);
    case 'longrope':
      return longrope(plain, trainedLength, fields);
    case 'proportional':
      return { ...unscaled, frequencies: proportional(plain, fields) };
  }
}

/** Keeps a share of the frequencies, from the first on; the columns of the others are not rotated (Gemma 4). */
function proportional(plain: Float32Array, fields: ConfigFields): Float32Array {
  const share = fields.value('partial_rotary_factor') === undefined ? 1 : fields.real('partial_rotary_factor');
  const factor = fields.value('factor') === undefined ? 1 : fields.real('factor');
  const turning = Math.floor(share * plain.length);
  if (turning < 0 || turning > plain.length)
    throw fields.error('partial_rotary_factor', `must be 0 to 1, not ${share}`);
  return plain.map((frequency, i) => (i < turning ? frequency / factor : 0));
}

/** Reads the context length before scaling. transformers writes it as a top-level field for Phi-3. */
function originalLength(
  whole: ConfigFields,
  fields: ConfigFields,
  json: ConfigJson,
  scaling: ConfigJson,
  trainedLength: number,
): number {
  const field = 'original_max_position_embeddings';
  if (field in json) return whole.count(field);
  return field in scaling ? fields.count(field) : trainedLength;
}

/**
 * Divides each frequency by its own factor, and multiplies cosines and sines by √(1 + ln(stretch) / ln(original)). The file has
 * factors for contexts up to the original length and others for longer ones; contexts are limited to the original length here
 * (docs/decisions/families.md). Source: Ding et al. 2024, arXiv:2402.13753, as in Hugging Face's Phi-3.
 */
function longrope(plain: Float32Array, trainedLength: number, fields: ConfigFields): RotaryFrequencies {
  const original = fields.value('original_max_position_embeddings')
    ? fields.count('original_max_position_embeddings')
    : trainedLength;
  const factors = fields.value('short_factor');
  if (
    !Array.isArray(factors) ||
    factors.length !== plain.length ||
    !factors.every((x) => typeof x === 'number' && x > 0)
  )
    throw fields.error('short_factor', `must be ${plain.length} positive numbers, one for each frequency`);
  const stretch = fields.value('factor') === undefined ? trainedLength / original : factorOf(fields);
  const magnitude = stretch <= 1 ? 1 : Math.sqrt(1 + Math.log(stretch) / Math.log(original));
  return {
    frequencies: plain.map((frequency, i) => frequency / (factors[i] as number)),
    magnitude: fields.value('attention_factor') === undefined ? magnitude : fields.real('attention_factor'),
    contextLength: Math.min(original, trainedLength),
    ...(original < trainedLength && {
      contextReason: 'longer texts need the long_factor of its longrope, which is not supported',
    }),
  };
}

const defaults: ConfigJson = { truncate: true };

/** Rounds each step to float32, as PyTorch does: at position 10⁵ a difference in the last bit is a visible angle. */
function plainFrequencies(base: number, rotaryDims: number): Float32Array {
  return Float32Array.from({ length: rotaryDims / 2 }, (_, i) => {
    const power = Math.fround(Math.pow(base, Math.fround((2 * i) / rotaryDims)));
    return 1 / power;
  });
}

function factorOf(fields: ConfigFields): number {
  const factor = fields.real('factor');
  if (factor < 1) throw fields.error('factor', `must be at least 1, not ${factor}`);
  return factor;
}

/**
 * Divides slow frequencies by the factor, keeps fast ones, and interpolates between them by the number of rotations within the
 * original context. Source: Llama 3.1's reference code (`apply_scaling`).
 */
function llama3(plain: Float32Array, original: number, fields: ConfigFields): Float32Array {
  const factor = factorOf(fields);
  const [low, high] = [fields.real('low_freq_factor'), fields.real('high_freq_factor')];
  if (low >= high) throw fields.error('low_freq_factor', `must be below high_freq_factor ${high}, not ${low}`);
  return plain.map((frequency) => {
    const turns = (original * frequency) / (2 * Math.PI);
    const keep = Math.min(1, Math.max(0, (turns - low) / (high - low)));
    return keep * frequency + ((1 - keep) * frequency) / factor;
  });
}

/**
 * Interpolates frequencies as Llama 3 does, but with a ramp over their index, and multiplies cosines and sines by 0.1 ln(factor) + 1.
 * Source: Peng et al. 2023, arXiv:2309.00071, eqs. 19 to 22.
 */
function yarn(
  plain: Float32Array,
  base: number,
  lengths: { original: number; trained: number },
  fields: ConfigFields,
): RotaryFrequencies {
  const { original, trained } = lengths;
  // A factor that is null means the ratio of the trained length and the original length.
  const factor = fields.isNull('factor') ? trained / original : factorOf(fields);
  const rotaryDims = 2 * plain.length;
  // Returns the index of the frequency that makes `turns` rotations within the original context.
  const indexOf = (turns: number) => (rotaryDims * Math.log(original / (turns * 2 * Math.PI))) / (2 * Math.log(base));
  let [first, last] = [indexOf(turnsOf(fields, 'beta_fast', 32)), indexOf(turnsOf(fields, 'beta_slow', 1))];
  if (fields.value('truncate') !== undefined && fields.flag('truncate'))
    [first, last] = [Math.floor(first), Math.ceil(last)];
  [first, last] = [Math.max(first, 0), Math.min(last, rotaryDims - 1)];
  if (first === last) last += 0.001; // avoids a division by zero
  const frequencies = plain.map((frequency, i) => {
    const divided = Math.min(1, Math.max(0, (i - first) / (last - first)));
    return (divided * frequency) / factor + (1 - divided) * frequency;
  });
  return {
    frequencies,
    magnitude: yarnMagnitude(factor, fields),
    contextLength: Math.max(trained, Math.floor(original * factor)),
  };
}

/** Reads the number of rotations at one end of the ramp; null and 0 mean the default. */
const turnsOf = (fields: ConfigFields, field: string, otherwise: number): number =>
  fields.value(field) ? fields.real(field) : otherwise;

function yarnMagnitude(factor: number, fields: ConfigFields): number {
  if (fields.value('attention_factor') !== undefined) return fields.real('attention_factor');
  const magnitude = (scale: number) => (factor <= 1 ? 1 : 0.1 * scale * Math.log(factor) + 1);
  if (fields.value('mscale') && fields.value('mscale_all_dim'))
    return magnitude(fields.real('mscale')) / magnitude(fields.real('mscale_all_dim'));
  return magnitude(1);
}
