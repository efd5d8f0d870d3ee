// Chooses the implementation of an encoder-decoder (BART, T5 and relatives) for the `model_type` of a config.json.
import { ConfigFields, fromConfigFile, UnsupportedConfigError, type ConfigJson } from '@bowyer/checkpoints';
import { bart } from './bart.js';
import type { EncoderDecoder } from './encoder-decoder.js';
import { t5 } from './t5.js';

const builders: Readonly<Record<string, (json: ConfigJson, apart: ReadonlySet<string>) => EncoderDecoder>> = {
  bart,
  marian: bart,
  pegasus: bart,
  t5,
  mt5: t5,
};

export const encoderDecoderTypes = Object.keys(builders);

/** Returns whether the `model_type` is that of a supported encoder-decoder. */
export const isEncoderDecoder = ({ model_type: type }: ConfigJson): boolean =>
  encoderDecoderTypes.includes(String(type));

/** Finds a config's architecture. @param apart word tables that differ from those to which they are tied by default */
export function encoderDecoderFor(
  json: ConfigJson,
  path = 'config.json',
  apart: ReadonlySet<string> = new Set(),
): EncoderDecoder {
  if (!isEncoderDecoder(json)) {
    const known = `supported encoder-decoders: ${encoderDecoderTypes.join(', ')}`;
    const problem = `is ${JSON.stringify(json.model_type)}, which is not supported; ${known}`;
    throw new UnsupportedConfigError(null, 'model_type', problem, path);
  }
  return fromConfigFile(path, () => {
    refuseForeignFields(json);
    return builders[String(json.model_type)](json, apart);
  });
}

/** Refuses fields of config.json that transformers reads for every model and that encoder-decoders do not support here. */
function refuseForeignFields(json: ConfigJson): void {
  const fields = new ConfigFields(String(json.model_type), json, {});
  fields.refuse('quantization_config');
  fields.refuse('per_layer_config');
  fields.refuse('is_encoder_decoder', true);
  if ('is_causal' in json && json.is_causal !== true)
    throw fields.error(
      'is_causal',
      `is ${JSON.stringify(json.is_causal)}: targets that see later tokens are not supported`,
    );
}
