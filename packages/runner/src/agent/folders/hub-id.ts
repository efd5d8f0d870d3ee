// Recognises names of models on the hub in a config.
import { existsSync } from 'node:fs';

/** The owners of models that have none in their older names. */
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
 * Returns OWNER/NAME[@REVISION] for a place that is neither a folder here nor a GGUF file; null where it cannot be a name on the
 * hub. The full rules are in @bowyer/checkpoints, which is not loaded for this check.
 */
export function hubId(place: string): string | null {
  if (existsSync(place) || place.endsWith('.gguf')) return null;
  const [name, ...revision] = place.split('@');
  if (Object.hasOwn(OWNERS, name)) return [`${OWNERS[name]}/${name}`, ...revision].join('@');
  return /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*(@[\w./-]+)?$/.test(place) ? place : null;
}
