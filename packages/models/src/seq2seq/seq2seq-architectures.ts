// The encoder-decoders that a config.json may name.
import type { ConfigJson } from '../config-fields.js';
import { bart } from './bart.js';
import type { EncoderDecoder } from './encoder-decoder.js';
import { t5 } from './t5.js';

const builders: Readonly<Record<string, (json: ConfigJson) => EncoderDecoder>> = { bart, t5, mt5: t5 };

export const encoderDecoderTypes = Object.keys(builders);

/** Whether the `model_type` is that of an encoder-decoder that can be built. */
export const isEncoderDecoder = ({ model_type: type }: ConfigJson): boolean =>
  encoderDecoderTypes.includes(String(type));

/** The architecture of a Hugging Face config, chosen by its `model_type`. */
export function encoderDecoderFor(json: ConfigJson): EncoderDecoder {
  const type = String(json.model_type);
  if (!isEncoderDecoder(json))
    throw new Error(
      `model_type '${type}' is not supported as an encoder-decoder; known: ${encoderDecoderTypes.join(', ')}`,
    );
  return builders[type](json);
}
