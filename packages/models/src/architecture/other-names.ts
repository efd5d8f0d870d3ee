// Renames fields of config.json for which several names are in use, such as `n_embd` and `hidden_size` for GPT-2.
import type { ConfigJson } from '@bowyer/checkpoints';

/** @param otherNames maps each alternative name to the name that this package reads */
export function renamed(json: ConfigJson, otherNames: Readonly<Record<string, string>>): ConfigJson {
  const others = Object.entries(otherNames).filter(([other]) => other in json);
  return { ...json, ...Object.fromEntries(others.map(([other, name]) => [name, json[other]])) };
}
