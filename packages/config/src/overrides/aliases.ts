// Old keys that are still accepted in overrides: `agent_type=chai` is read as `algorithm=chai`, in sweeps too.
import { ConfigError } from '../config-error.js';
import { encodeElement } from './encode.js';
import { parseOverride } from './parser.js';
import { ChoiceSweep, QuotedString, typedKey, type Element, type Override } from './value.js';

/** The new key by old key; an object if values were renamed too. */
export type OverrideAliases = Readonly<Record<string, string | OverrideAlias>>;

export interface OverrideAlias {
  readonly key: string;
  /** The new value by old value; other values are unchanged. */
  readonly values?: Readonly<Record<string, string>>;
}

/**
 * Replaces old keys in overrides; other overrides and deletions (`~key`) are unchanged.
 *
 * @throws {ConfigError} if an old key and its new one are both given
 */
export function withAliases(texts: readonly string[], aliases: OverrideAliases | undefined): string[] {
  if (!aliases || Object.keys(aliases).length === 0) return [...texts];
  const parsed = texts.map(parseOverride);
  return parsed.flatMap((override) => {
    const alias = aliasOf(override, aliases);
    if (!alias) return [override.text];
    const fresh = renamed(override, alias);
    const other = parsed.find(({ key, package: target }) => key === alias.key && target === undefined);
    // Giving the same value under both keys is not an error.
    if (other && other.kind !== 'delete' && valueText(other.text) === valueText(fresh)) return [];
    if (other)
      throw new ConfigError(
        'composition',
        `'${override.text}' and '${other.text}' set the same key: '${override.key}' is the old name of '${alias.key}'`,
        ['give one of them'],
        { keyPath: alias.key, file: 'command line' },
      );
    return [fresh];
  });
}

const valueText = (text: string): string => text.slice(text.indexOf('='));

function aliasOf(override: Override, aliases: OverrideAliases): OverrideAlias | undefined {
  const { kind, key, package: target } = override;
  if (kind === 'delete' || target !== undefined || !Object.hasOwn(aliases, key)) return undefined;
  const alias = aliases[key]!;
  return typeof alias === 'string' ? { key: alias } : alias;
}

/** Rewrites an override for the new key. Only renamed values are rewritten. */
function renamed(override: Override, { key, values = {} }: OverrideAlias): string {
  const { value, text } = override;
  const rest = text.slice(text.indexOf('='));
  const given = value instanceof ChoiceSweep ? value.items : [value as Element];
  const fresh = given.map((item) => newName(item, values));
  const isRenamed = fresh.some((item, index) => item !== given[index]);
  const isSimple = !(value instanceof ChoiceSweep) || (value.simple && !value.shuffle);
  // The new key exists in every config, so '+' is dropped: users of configs without the old key had to write `+agent_type=chai`.
  return `${typedKey({ ...override, kind: 'set', key })}${isRenamed && isSimple ? `=${fresh.map(encodeElement).join(',')}` : rest}`;
}

function newName(item: Element, values: Readonly<Record<string, string>>): Element {
  const text = item instanceof QuotedString ? item.text : item;
  return typeof text === 'string' && Object.hasOwn(values, text) ? values[text]! : item;
}
