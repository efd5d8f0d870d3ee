// Chooses the option of each config group in a Hydra defaults list: the command line takes precedence, then `override` items of
// the lists in the order in which they are found, then the group's own item.
import { ConfigError, placeText } from '../config-error.js';
import { nearest } from '../nearest.js';
import { Float, type Origin } from '../node.js';
import { encodeElement } from '../overrides/encode.js';
import {
  DictValue,
  ListExtension,
  QuotedString,
  choiceKey,
  isSweep,
  overridePlace,
  type Element,
  type Override,
} from '../overrides/value.js';
import type { Repository } from '../sources/repository.js';
import { groupItem, groupPath, overrideKey, type DefaultItem, type GroupItem, type OptionValue } from './item.js';

interface Choice {
  readonly value: OptionValue;
  /** The config that contains this `override` item; undefined for the command line. */
  readonly configPath?: string;
  readonly text: string;
  readonly origin: Origin;
  used: boolean;
  /** An error of this override, which is thrown only if its group is in use. */
  readonly invalid?: ConfigError;
}

export class Choices {
  /** Groups added by `+group=option`, which are appended to the primary defaults list. */
  readonly appended: GroupItem[] = [];
  /** Overrides whose keys are not groups; they are applied to the composed config. */
  readonly configOverrides: Override[] = [];
  /** The option of each group found so far, by the key (`group` or `group@package`) that an override of it would have. */
  readonly known = new Map<string, string | null>();
  private readonly chosen = new Map<string, Choice>();
  private readonly deletions = new Map<string, { option: string | undefined; text: string; used: boolean }>();
  private readonly keysOfGroup = new Map<string, Set<string>>();

  constructor(
    overrides: readonly Override[],
    private readonly repository: Repository,
  ) {
    for (const override of overrides) if (!isSweep(override.value)) this.add(override);
  }

  private add(override: Override): void {
    const { kind, key, value, text } = override;
    if (value instanceof DictValue || value instanceof ListExtension || !this.repository.groupExists(key)) {
      this.configOverrides.push(override);
      return;
    }
    const origin = { source: overridePlace(override) };
    if (kind === 'force-add') {
      const options =
        override.package === undefined
          ? `'+${text.slice(2)}' adds the group, '${text.slice(2)}' changes it`
          : `use one '+'`;
      throw new ConfigError(
        'composition',
        `'${text}' is not possible: '${key}' is a config group, and groups cannot be force-added`,
        [options],
        { keyPath: key },
      );
    }
    const name = choiceKey(key, override.package);
    if (kind === 'delete') {
      const option = value === undefined || value === null ? undefined : optionText(value as Element);
      if (option === null)
        throw new ConfigError(
          'invalid-default',
          `'${text}' cannot delete from group '${key}': an option is a name`,
          [`write '~${name}' or '~${name}=OPTION'`],
          { keyPath: key },
        );
      this.deletions.set(name, { option, text, used: false });
      return;
    }
    const option = optionValue(value as Element);
    const invalid = option === undefined ? this.invalidOption(key, value as Element, text) : undefined;
    // An override whose value is a list is an error only if its group is in use; other invalid options are errors immediately.
    if (invalid && (kind === 'add' || !Array.isArray(value))) throw invalid;
    if (option === undefined)
      this.chosen.set(name, { value: encodeElement(value as Element), text, origin, used: false, invalid });
    else if (kind === 'add')
      this.appended.push(groupItem(key, option, origin, { package: override.package, appended: true }));
    else this.chosen.set(name, { value: option, text, origin, used: false });
  }

  private invalidOption(key: string, value: Element, text: string): ConfigError {
    const type =
      value === null
        ? 'null'
        : Array.isArray(value)
          ? 'a list that contains more than names'
          : value instanceof Float
            ? 'a float'
            : typeof value === 'boolean'
              ? 'a bool'
              : 'an int';
    const options = this.repository.options(key);
    const details = [options.length > 0 ? `options of '${key}': ${options.join(', ')}` : `'${key}' has no options`];
    if (value === null) details.push(`to leave the group out, write '~${key}'`);
    else details.push(`an option whose name looks so is written in quotes: '${key}="${encodeElement(value)}"'`);
    return new ConfigError(
      'invalid-default',
      `'${text}' gives config group '${key}' ${type}; an option is a name or a list of names`,
      details,
      { keyPath: key },
    );
  }

  /** Adds an `override` item. It has no effect if a later item or the command line has already chosen. */
  addOverride(item: GroupItem, configPath: string): void {
    const key = overrideKey(item);
    if (this.chosen.has(key)) return;
    this.chosen.set(key, { value: item.value, configPath, text: `override ${key}`, origin: item.origin, used: false });
  }

  apply(item: GroupItem): void {
    const choice = this.chosen.get(overrideKey(item));
    if (!choice) return;
    if (choice.invalid) throw choice.invalid;
    item.value = choice.value;
    choice.used = true;
  }

  isDeleted(item: DefaultItem): boolean {
    if (item.kind !== 'group') return false;
    const deletion = this.deletions.get(overrideKey(item));
    if (!deletion || (deletion.option !== undefined && deletion.option !== item.value)) return false;
    deletion.used = true;
    return true;
  }

  /** Records the option of a group's item. A second item with the same group and package must name the same option. */
  learn(item: DefaultItem): void {
    if (item.kind !== 'group') return;
    const key = overrideKey(item);
    const value = item.value as string | null;
    const known = this.known.get(key);
    if (known === undefined) this.known.set(key, value);
    else if (known !== value) {
      throw new ConfigError(
        'composition',
        `Multiple values for '${key}': '${value}' and '${known}'`,
        [`in ${placeText(item.origin)}`, `to change an earlier choice, write 'override ${key}: ${known}'`],
        { keyPath: key, file: item.origin.source, line: item.origin.line, column: item.origin.column },
      );
    }
    const group = groupPath(item);
    if (!this.keysOfGroup.has(group)) this.keysOfGroup.set(group, new Set());
    this.keysOfGroup.get(group)!.add(key);
  }

  /** Throws ConfigError for the first override or deletion without effect. */
  ensureAllUsed(): void {
    for (const [key, choice] of this.chosen) if (!choice.used) throw this.unmatched(key, choice);
    for (const [key, { option, used }] of this.deletions) {
      if (used) continue;
      const what = option === undefined ? key : `${key}=${option}`;
      const known = this.known.get(key);
      const hint =
        known !== undefined
          ? `'${key}' is '${known}'; write '~${key}'`
          : `choices that can be deleted: ${this.jobKeys().join(', ') || 'none'}`;
      throw new ConfigError('composition', `Could not delete '${what}': no match in the defaults list`, [hint], {
        keyPath: key,
      });
    }
  }

  private jobKeys(): string[] {
    return [...this.known.keys()].filter((key) => !key.startsWith('hydra/'));
  }

  private unmatched(key: string, { configPath, value, origin }: Choice): ConfigError {
    const details: string[] = [];
    if (origin.line !== undefined) details.push(`in ${placeText(origin)}`);
    const sameGroup = [...(this.keysOfGroup.get(key.split('@')[0]!) ?? [])].sort();
    const near = nearest(key, this.jobKeys());
    if (sameGroup.length > 0)
      details.push(`did you mean to override ${sameGroup.length > 1 ? 'one of ' : ''}${sameGroup.join(', ')}?`);
    else if (near) details.push(`did you mean '${near}'?`);
    const option = Array.isArray(value) ? `[${value.join(',')}]` : (value ?? 'null');
    if (configPath === undefined) details.push(`to append to the defaults list, write '+${key}=${option}'`);
    else details.push(`to add a group, leave out 'override'`);
    const where = configPath === undefined ? '' : `In '${configPath}': `;
    return new ConfigError(
      'composition',
      `${where}Could not override '${key}': no match in the defaults list`,
      details,
      {
        keyPath: key,
        file: configPath === undefined ? undefined : origin.source,
        line: origin.line,
        column: origin.column,
      },
    );
  }
}

/** Returns an override's value as the name of an option; null if the value cannot be a name. */
function optionText(value: Element): string | null {
  if (value instanceof QuotedString) return value.text;
  return typeof value === 'string' ? value : null;
}

function optionValue(value: Element): string | string[] | undefined {
  if (!Array.isArray(value)) return optionText(value) ?? undefined;
  const names = value.map(optionText);
  return names.every((name): name is string => name !== null) ? names : undefined;
}
