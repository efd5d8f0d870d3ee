// Reads the fields of a model's generation_config.json that change logits, such as the repetition penalty.
import { join } from 'node:path';
import { ConfigFields, fromConfigFile, readGenerationFields, type ConfigJson } from '@bowyer/checkpoints';
import { changesLogits, noLogitRules, REPETITION_PENALTIES, type LogitRules } from './logit-rules.js';

/** Fields of generation_config.json that are not supported, with the values at which they have no effect and are accepted. */
const notBuilt: Readonly<Record<string, readonly unknown[]>> = {
  num_beams: [1],
  num_beam_groups: [1],
  num_return_sequences: [1],
  diversity_penalty: [0],
  penalty_alpha: [0],
  dola_layers: [],
  constraints: [],
  force_words_ids: [],
  encoder_repetition_penalty: [1],
  encoder_no_repeat_ngram_size: [0],
  exponential_decay_length_penalty: [],
  guidance_scale: [1],
  watermarking_config: [],
  token_healing: [false],
  stop_strings: [],
  max_time: [],
};

/** Fields that only encoder-decoders support (see generation-rules.ts), with the values at which they have no effect. */
const forcedTokens: Readonly<Record<string, readonly unknown[]>> = { forced_bos_token_id: [], forced_eos_token_id: [] };

/** Fields that are not supported where tokens are sampled, with the values at which they have no effect. */
const notSampled: Readonly<Record<string, readonly unknown[]>> = {
  min_p: [0],
  top_h: [],
  typical_p: [1],
  epsilon_cutoff: [0],
  eta_cutoff: [0],
};

interface GenerationRulesOfFolder {
  rules: LogitRules;
  /** The names of the fields that change logits. */
  fields: string[];
  /** The path of the file that has these fields. */
  path: string;
}

/**
 * Reads the rules for logits in a model's folder. The fields for sampling (temperature, top_k, top_p, do_sample), length
 * (max_new_tokens) and terminators are ignored, since the config of a run decides them.
 *
 * @param dir the folder of a whole model; for an adapter, that of its base model
 * @param vocabSize the number of token ids
 * @param options.samples whether tokens are sampled, which more fields do not support
 * @throws UnsupportedConfigError if the file has a field that is not supported
 */
export async function readLogitRules(
  dir: string,
  vocabSize: number,
  { samples, isEncoderDecoder = false }: { samples: boolean; isEncoderDecoder?: boolean },
): Promise<GenerationRulesOfFolder> {
  const { file, json } = await readGenerationFields(dir);
  const path = join(dir, file);
  return fromConfigFile(path, () => {
    const fields = new ConfigFields(String(json.model_type ?? 'language'), json, {});
    for (const [field, harmless] of Object.entries({
      ...notBuilt,
      ...(!isEncoderDecoder && forcedTokens),
      ...(samples && notSampled),
    }))
      fields.refuse(field, ...harmless);
    const found = logitRules(json, fields, vocabSize);
    return { ...found, path };
  });
}

/** Finds the fields in a model's folder that change which text is generated, supported or not, and the file that has them. */
export async function givenRules(dir: string): Promise<{ fields: string[]; file: string }> {
  const { file, json } = await readGenerationFields(dir);
  const neutral: Readonly<Record<string, readonly unknown[]>> = { ...notBuilt, ...notSampled, ...ruleFields };
  const fields = Object.entries(neutral).filter(([field, harmless]) => {
    const value = json[field] ?? null;
    return value !== null && !harmless.includes(value);
  });
  return { fields: fields.map(([field]) => field), file };
}

/** The fields that `logitRules` reads, with the values at which they have no effect. */
const ruleFields: Readonly<Record<string, readonly unknown[]>> = {
  sequence_bias: [],
  repetition_penalty: [1],
  no_repeat_ngram_size: [0],
  bad_words_ids: [],
  min_length: [0],
  min_new_tokens: [0],
  suppress_tokens: [],
  begin_suppress_tokens: [],
};

function logitRules(json: ConfigJson, fields: ConfigFields, vocabSize: number) {
  const read: Record<string, Partial<LogitRules>> = {};
  const take = (field: string, rule: (value: unknown) => Partial<LogitRules>) => {
    const value = json[field] ?? null;
    if (value !== null) read[field] = rule(value);
  };
  const count = (field: string, value: unknown) => (value === 0 ? 0 : fields.count(field));
  const ids = (field: string, value: unknown) => idsOf(fields, field, value);
  const known = (field: string, value: unknown) => ids(field, value).filter((id) => id < vocabSize);
  const sequences = (field: string, value: unknown) => sequencesOf(fields, field, value, vocabSize);
  take('sequence_bias', (value) => ({ sequenceBias: biasesOf(fields, value, vocabSize) }));
  take('repetition_penalty', (value) => ({ repetitionPenalty: penaltyOf(fields, value) }));
  take('no_repeat_ngram_size', (value) => ({ noRepeatNgramSize: count('no_repeat_ngram_size', value) }));
  take('bad_words_ids', (value) => ({ badWords: sequences('bad_words_ids', value) }));
  // If the file has both min_length and min_new_tokens, min_new_tokens takes precedence.
  if ((json.min_new_tokens ?? null) === null)
    take('min_length', (value) => ({ minLength: count('min_length', value) }));
  take('min_new_tokens', (value) => ({ minNewTokens: count('min_new_tokens', value) }));
  take('suppress_tokens', (value) => ({ suppressedIds: known('suppress_tokens', value) }));
  take('begin_suppress_tokens', (value) => ({ beginSuppressedIds: known('begin_suppress_tokens', value) }));
  const active = Object.entries(read).filter(([, rule]) => changesLogits({ ...noLogitRules, ...rule }));
  return {
    rules: Object.assign({}, noLogitRules, ...active.map(([, rule]) => rule)) as LogitRules,
    fields: active.map(([field]) => field),
  };
}

function penaltyOf(fields: ConfigFields, value: unknown): number {
  const penalty = value === 0 ? 0 : fields.real('repetition_penalty');
  const { min, max } = REPETITION_PENALTIES;
  if (penalty >= min && penalty <= max) return penalty;
  throw fields.error('repetition_penalty', `must be from ${min} to ${max}, not ${penalty}`);
}

/** Reads a list of token ids. Negative ids, such as the −1 in some files, are left out. */
function idsOf(fields: ConfigFields, field: string, value: unknown): number[] {
  if (!Array.isArray(value) || !value.every((id) => Number.isInteger(id)))
    throw fields.error(field, `must be a list of token ids, not ${JSON.stringify(value)}`);
  return (value as number[]).filter((id) => id >= 0);
}

function sequencesOf(fields: ConfigFields, field: string, value: unknown, vocabSize: number): number[][] {
  const isSequence = (ids: unknown) =>
    Array.isArray(ids) &&
    ids.length > 0 &&
    ids.every((id) => Number.isInteger(id) && (id as number) >= 0 && (id as number) < vocabSize);
  if (!Array.isArray(value) || !value.every(isSequence))
    throw fields.error(field, `must be a list of lists of token ids below ${vocabSize}, not ${JSON.stringify(value)}`);
  return value as number[][];
}

/** Reads the field `sequence_bias` in the form `[[[ids], bias], …]`. */
function biasesOf(fields: ConfigFields, value: unknown, vocabSize: number): LogitRules['sequenceBias'] {
  const isPair = (pair: unknown): pair is [unknown, number] =>
    Array.isArray(pair) && pair.length === 2 && typeof pair[1] === 'number';
  if (!Array.isArray(value) || !value.every(isPair))
    throw fields.error('sequence_bias', `must be a list of pairs, ids and bias, not ${JSON.stringify(value)}`);
  const sequences = sequencesOf(
    fields,
    'sequence_bias',
    value.map(([ids]) => ids),
    vocabSize,
  );
  // If a sequence is listed twice, its last entry counts.
  const bySequence = new Map(sequences.map((ids, i) => [ids.join(), { ids, by: value[i][1] }]));
  return [...bySequence.values()];
}
