// Renames fields of a config.json that have two names.
import type { ConfigJson } from '@bowyer/checkpoints';

/**
 * Returns the config with fields renamed from alternative names to the names used here.
 *
 * @param otherNames the name used here, by alternative name
 */
export function renamed(json: ConfigJson, otherNames: Readonly<Record<string, string>>): ConfigJson {
  const others = Object.entries(otherNames).filter(([other]) => other in json);
  return { ...json, ...Object.fromEntries(others.map(([other, name]) => [name, json[other]])) };
}
