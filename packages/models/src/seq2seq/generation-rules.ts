// Reads the special tokens with which a checkpoint's targets begin and end, from config.json and generation_config.json.
import { join } from 'node:path';
import { ConfigFields, type ConfigJson, fromConfigFile, readGenerationConfig } from '@bowyer/checkpoints';
import type { EncoderDecoder } from './encoder-decoder.js';

export interface GenerationRules {
  /** The first input token of the decoder. */
  decoderStartId: number;
  /** Tokens that end a target. */
  eosIds: readonly number[];
  /** Pads sources and targets; the model never attends to it. */
  padId: number;
  /** The forced first generated token; null: none. */
  forcedBosId: number | null;
  /** The forced last token of a target that reaches its maximum length; null: none. */
  forcedEosId: number | null;
}

/**
 * Reads the rules as transformers does: generation_config.json takes precedence over config.json, and that over the class's defaults;
 * forced tokens come only from the first of these files that exists.
 */
export async function readGenerationRules(dir: string, architecture: EncoderDecoder): Promise<GenerationRules> {
  const json = await readGenerationConfig(dir);
  return fromConfigFile(join(dir, 'config.json with generation_config.json'), () =>
    generationRules(architecture, json),
  );
}

/** Derives the rules from a model's config. @param generation the contents of generation_config.json */
export function generationRules(architecture: EncoderDecoder, generation: ConfigJson = {}): GenerationRules {
  const { config, specialTokens, vocabSize } = architecture;
  const { forced_bos_token_id: _, forced_eos_token_id: __, ...unforced } = config;
  const hasOwnFile = Object.keys(generation).length > 0;
  const json = { ...(hasOwnFile ? unforced : config), ...generation };
  const fields = new ConfigFields(String(config.model_type), json, {
    decoder_start_token_id: specialTokens.decoderStart,
    eos_token_id: specialTokens.eos,
    pad_token_id: specialTokens.pad,
    forced_eos_token_id: hasOwnFile ? null : specialTokens.forcedEos,
  });
  const checked = (field: string, id: unknown): number => {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= vocabSize)
      throw fields.error(field, `must be a token id below vocab_size ${vocabSize}, not ${JSON.stringify(id)}`);
    return id;
  };
  const id = (field: string) => checked(field, fields.value(field));
  const idOrNone = (field: string) => (fields.value(field) === undefined ? null : id(field));
  const eos = fields.value('eos_token_id');
  return {
    decoderStartId: id('decoder_start_token_id'),
    eosIds: (Array.isArray(eos) ? (eos as unknown[]) : [eos]).map((one) => checked('eos_token_id', one)),
    padId: id('pad_token_id'),
    forcedBosId: idOrNone('forced_bos_token_id'),
    forcedEosId: idOrNone('forced_eos_token_id'),
  };
}
