// Fields of a config.json that have two names.
import type { ConfigJson } from '@bowyer/checkpoints';

/** Returns the config with a field's other names in the place of the field. */
export function renamed(json: ConfigJson, otherNames: Readonly<Record<string, string>>): ConfigJson {
  const others = Object.entries(otherNames).filter(([other]) => other in json);
  return { ...json, ...Object.fromEntries(others.map(([other, name]) => [name, json[other]])) };
}
