// Recognises names of models on the Hugging Face hub in a config.
import { existsSync } from 'node:fs';

/** The owners of the models on the Hugging Face hub whose older names are without an owner, such as `gpt2`. */
const OWNERS: Readonly<Record<string, string>> = {
  gpt2: 'openai-community',
  'gpt2-medium': 'openai-community',
  'gpt2-large': 'openai-community',
  'gpt2-xl': 'openai-community',
  distilgpt2: 'distilbert',
  'roberta-base': 'FacebookAI',
  'roberta-large': 'FacebookAI',
  'distilroberta-base': 'distilbert',
  'bert-base-uncased': 'google-bert',
  'bert-base-cased': 'google-bert',
  'bert-large-uncased': 'google-bert',
  'distilbert-base-uncased': 'distilbert',
  'albert-base-v2': 'albert',
  't5-small': 'google-t5',
  't5-base': 'google-t5',
};

/**
 * Returns OWNER/NAME[@REVISION] for a model that is neither a local folder nor a GGUF file; null where the text cannot be a name
 * on the Hugging Face hub. The full rules are in @bowyer/checkpoints, which is not loaded for this check because loading takes
 * time.
 */
export function hubId(place: string): string | null {
  if (existsSync(place) || place.endsWith('.gguf')) return null;
  const [name, ...revision] = place.split('@');
  if (Object.hasOwn(OWNERS, name)) return [`${OWNERS[name]}/${name}`, ...revision].join('@');
  return /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*(@[\w./-]+)?$/.test(place) ? place : null;
}
