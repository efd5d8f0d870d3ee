// The architectures that a config.json may name.
import type { CausalArchitecture } from '../architecture/architecture.js';
import { fromConfigFile, UnsupportedConfigError, type ConfigJson } from '@bowyer/checkpoints';
import { isEncoder } from '../encoder/encoder-config.js';
import { refuseCommonFields } from '../decoder/common-fields.js';
import { falcon } from '../decoder/falcon.js';
import { falconConfig } from '../decoder/falcon-config.js';
import { gptNeoX } from '../decoder/gpt-neox.js';
import { gptNeoXConfig } from '../decoder/gpt-neox-config.js';
import { gpt2 } from '../decoder/gpt2.js';
import { gpt2Config } from '../decoder/gpt2-config.js';
import { llama } from '../decoder/llama.js';
import { llamaConfig, llamaFamilies } from '../decoder/llama-config.js';
import { encoderDecoderTypes, isEncoderDecoder } from '../seq2seq/seq2seq-architectures.js';

type Builder = (json: ConfigJson) => CausalArchitecture;

const builders: Readonly<Record<string, Builder>> = {
  gpt2: (json) => gpt2(gpt2Config(json)),
  falcon: (json) => falcon(falconConfig(json)),
  gpt_neox: (json) => gptNeoX(gptNeoXConfig(json)),
  ...Object.fromEntries(
    Object.keys(llamaFamilies).map((type): [string, Builder] => [type, (json) => llama(llamaConfig(json))]),
  ),
};

/** Whether a language model of this kind can be built here. */
export const isLanguageModel = (json: ConfigJson): boolean => Object.hasOwn(builders, String(json.model_type));

/**
 * The architecture of a Hugging Face config, chosen by its `model_type`.
 *
 * @param path where the config comes from, for the message
 */
export function architectureFor(json: ConfigJson, path = 'config.json'): CausalArchitecture {
  if (!isLanguageModel(json)) throw new UnsupportedConfigError(null, 'model_type', unknownType(json), path);
  return fromConfigFile(path, () => {
    refuseCommonFields(json);
    return builders[String(json.model_type)](json);
  });
}

function unknownType({ model_type: type, ...json }: ConfigJson): string {
  const known = `supported language models: ${Object.keys(builders).join(', ')}`;
  if (type === undefined) return `is missing; ${known}`;
  if (isEncoder({ model_type: type, ...json }))
    return `is "${String(type)}", an encoder, which cannot generate text: it can be a critic (critic_lm); ${known}`;
  if (isEncoderDecoder({ model_type: type }))
    return `is "${String(type)}", an encoder-decoder: it can score, generate and be an oracle, not a policy; ${known}`;
  return `is ${JSON.stringify(type)}, which is not supported; ${known}; encoder-decoders: ${encoderDecoderTypes.join(', ')}`;
}
