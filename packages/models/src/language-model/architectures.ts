// Chooses the architecture that a model's config.json describes.
import type { CausalArchitecture } from '../architecture/architecture.js';
import { fromConfigFile, UnsupportedConfigError, type ConfigJson } from '@bowyer/checkpoints';
import { isEncoder } from '../encoder/encoder-config.js';
import { allFamilies } from '../decoder/all-families.js';
import { FamilyConfig } from '../decoder/family.js';
import { textConfig } from '../decoder/text-config.js';
import { encoderDecoderTypes, isEncoderDecoder } from '../seq2seq/seq2seq-architectures.js';

/** Returns whether a config describes a supported language model. */
export const isLanguageModel = (json: ConfigJson): boolean =>
  Object.hasOwn(allFamilies, String(textConfig(json).model_type));

/** @param path the origin of the config, for error messages */
export function architectureFor(json: ConfigJson, path = 'config.json'): CausalArchitecture {
  if (!isLanguageModel(json)) throw new UnsupportedConfigError(null, 'model_type', unknownType(json), path);
  const text = textConfig(json);
  const type = String(text.model_type);
  return fromConfigFile(path, () => allFamilies[type].build(new FamilyConfig(type, allFamilies[type], text)));
}

function unknownType({ model_type: type, ...json }: ConfigJson): string {
  const known = `supported language models: ${Object.keys(allFamilies).join(', ')}`;
  if (type === undefined) return `is missing; ${known}`;
  if (isEncoder({ model_type: type, ...json }))
    return `is "${String(type)}", an encoder, which cannot generate text: it can be a critic (critic.model); ${known}`;
  if (isEncoderDecoder({ model_type: type }))
    return `is "${String(type)}", an encoder-decoder: it can score, generate and be an oracle, not a policy; ${known}`;
  return `is ${JSON.stringify(type)}, which is not supported; ${known}; encoder-decoders: ${encoderDecoderTypes.join(', ')}`;
}
