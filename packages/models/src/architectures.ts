// The architectures that a config.json may name.
import type { CausalArchitecture } from './architecture.js';
import type { ConfigJson } from './config-fields.js';
import { gptNeoX } from './gpt-neox.js';
import { gptNeoXConfig } from './gpt-neox-config.js';
import { gpt2 } from './gpt2.js';
import { gpt2Config } from './gpt2-config.js';
import { llama } from './llama.js';
import { llamaConfig, llamaFamilies } from './llama-config.js';

type Builder = (json: ConfigJson) => CausalArchitecture;

const builders: Readonly<Record<string, Builder>> = {
  gpt2: (json) => gpt2(gpt2Config(json)),
  gpt_neox: (json) => gptNeoX(gptNeoXConfig(json)),
  ...Object.fromEntries(
    Object.keys(llamaFamilies).map((type): [string, Builder] => [type, (json) => llama(llamaConfig(json))]),
  ),
};

/** Whether a language model of this kind can be built here. */
export const isLanguageModel = (json: ConfigJson): boolean => String(json.model_type) in builders;

/** The architecture of a Hugging Face config, chosen by its `model_type`. */
export function architectureFor(json: ConfigJson): CausalArchitecture {
  const type = String(json.model_type);
  if (!(type in builders))
    throw new Error(
      `model_type '${type}' is not supported as a language model; known: ${Object.keys(builders).join(', ')}`,
    );
  return builders[type](json);
}
