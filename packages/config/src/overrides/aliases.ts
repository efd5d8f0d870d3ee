// Replaces old keys in overrides: `agent_type=chai` is read as `algorithm=chai`, in sweeps too.
import { ConfigError } from '../config-error.js';
import { parseOverride } from './parser.js';
import { typedKey } from './value.js';

/** The present key for each old key that overrides may still use. */
export type OverrideAliases = Readonly<Record<string, string>>;

/** Other overrides and deletions (`~key`) are unchanged. @throws {ConfigError} if an old key and its new one are both given */
export function withAliases(texts: readonly string[], aliases: OverrideAliases = {}): string[] {
  if (Object.keys(aliases).length === 0) return [...texts];
  const parsed = texts.map(parseOverride);
  return parsed.flatMap((override) => {
    if (override.kind === 'delete' || override.package !== undefined || !Object.hasOwn(aliases, override.key))
      return [override.text];
    const key = aliases[override.key]!;
    // The new key exists in every config, so '+' is dropped: users of configs without the old key had to write `+agent_type=chai`.
    const fresh = `${typedKey({ ...override, kind: 'set', key })}${valueText(override.text)}`;
    const other = parsed.find((one) => one.key === key && one.package === undefined);
    // Giving the same value under both keys is not an error.
    if (other && other.kind !== 'delete' && valueText(other.text) === valueText(fresh)) return [];
    if (other)
      throw new ConfigError(
        'composition',
        `'${override.text}' and '${other.text}' set the same key: '${override.key}' is the old name of '${key}'`,
        ['give one of them'],
        { keyPath: key, file: 'command line' },
      );
    return [fresh];
  });
}

const valueText = (text: string): string => text.slice(text.indexOf('='));
