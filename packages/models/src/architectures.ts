// The architectures that a config.json may name.
import type { CausalArchitecture } from './architecture.js';
import { gpt2 } from './gpt2.js';
import { gpt2Config } from './gpt2-config.js';

const builders: Readonly<Record<string, (json: Readonly<Record<string, unknown>>) => CausalArchitecture>> = {
  gpt2: (json) => gpt2(gpt2Config(json)),
};

/** The architecture of a Hugging Face config, chosen by its `model_type`. */
export function architectureFor(json: Readonly<Record<string, unknown>>): CausalArchitecture {
  const type = String(json.model_type);
  if (!(type in builders))
    throw new Error(
      `model_type '${type}' is not supported as a language model; known: ${Object.keys(builders).join(', ')}`,
    );
  return builders[type](json);
}
