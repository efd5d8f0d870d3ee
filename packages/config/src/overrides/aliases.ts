// Old keys that are still accepted as overrides: `agent_type=chai` is read as `algorithm=chai`, in a sweep too.
import { ConfigError } from '../config-error.js';
import { encodeElement } from './encode.js';
import { parseOverride } from './parser.js';
import { ChoiceSweep, QuotedString, typedKey, type Element, type Override } from './value.js';

/** Old key to new key, or to a new key whose values have changed their names too. */
export type OverrideAliases = Readonly<Record<string, string | OverrideAlias>>;

export interface OverrideAlias {
  readonly key: string;
  /** Old value to new value; other values stay. */
  readonly values?: Readonly<Record<string, string>>;
}

/**
 * Replaces old keys in overrides; all others stay as typed. Deletions (`~key`) are left alone.
 *
 * @throws {ConfigError} where an old key and its new one are both given
 */
export function withAliases(texts: readonly string[], aliases: OverrideAliases | undefined): string[] {
  if (!aliases || Object.keys(aliases).length === 0) return [...texts];
  const parsed = texts.map(parseOverride);
  return parsed.flatMap((override) => {
    const alias = aliasOf(override, aliases);
    if (!alias) return [override.text];
    const fresh = renamed(override, alias);
    const other = parsed.find(({ key, package: target }) => key === alias.key && target === undefined);
    // The same value given twice does not contradict itself.
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

/** Writes the same override of the new key. Only values that have a new name are written again. */
function renamed(override: Override, { key, values = {} }: OverrideAlias): string {
  const { value, text } = override;
  const rest = text.slice(text.indexOf('='));
  const given = value instanceof ChoiceSweep ? value.items : [value as Element];
  const fresh = given.map((item) => newName(item, values));
  const isRenamed = fresh.some((item, index) => item !== given[index]);
  const isSimple = !(value instanceof ChoiceSweep) || (value.simple && !value.shuffle);
  // An option is changed, never added: `+agent_type=chai` is what users of a config without the key had to write.
  return `${typedKey({ ...override, kind: 'set', key })}${isRenamed && isSimple ? `=${fresh.map(encodeElement).join(',')}` : rest}`;
}

function newName(item: Element, values: Readonly<Record<string, string>>): Element {
  const text = item instanceof QuotedString ? item.text : item;
  return typeof text === 'string' && Object.hasOwn(values, text) ? values[text]! : item;
}
