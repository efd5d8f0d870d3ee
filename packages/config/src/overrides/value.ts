// Defines the values of overrides: primitives, quoted strings, lists, dicts, and the sweeps that functions make.
import { Float, type Key } from '../node.js';

/** A quoted string keeps its quotes, since a sweep writes each job's overrides as text again. */
export class QuotedString {
  constructor(
    readonly text: string,
    readonly quote: "'" | '"',
  ) {}
}

export type Primitive = null | boolean | number | bigint | Float | string;

/** A dict. If a key occurs twice, the last value counts, at the position of the first. */
export class DictValue {
  readonly pairs: { key: Key | null; value: Element }[] = [];
}

export type Element = Primitive | QuotedString | Element[] | DictValue;

/** A sweep over values: `a,b,c` (simple) or `choice(a,b,c)`. */
export class ChoiceSweep {
  readonly tags = new Set<string>();
  constructor(
    readonly items: readonly Element[],
    readonly simple: boolean,
    readonly shuffle = false,
  ) {}
}

/** A sweep over numbers: `range(start,stop,step)`. */
export class RangeSweep {
  readonly tags = new Set<string>();
  constructor(
    readonly start: number | bigint | Float,
    readonly stop: number | bigint | Float,
    readonly step: number | bigint | Float,
    readonly shuffle = false,
  ) {}
}

/** A continuous range, for sweepers that draw values: `interval(start,end)`. */
export class IntervalSweep {
  readonly tags = new Set<string>();
  constructor(
    readonly start: number | bigint | Float,
    readonly end: number | bigint | Float,
  ) {}
}

/** A sweep over the options of a group that match: `glob(include,exclude)`. */
export class GlobSweep {
  constructor(
    readonly include: readonly string[],
    readonly exclude: readonly string[],
  ) {}
}

/** Items that are appended to an existing list: `extend_list(a,b)`. */
export class ListExtension {
  constructor(readonly items: readonly Element[]) {}
}

export type Sweep = ChoiceSweep | RangeSweep | IntervalSweep | GlobSweep;
export type OverrideValue = Element | Sweep | ListExtension;

export const isSweep = (value: OverrideValue | undefined): value is Sweep =>
  value instanceof ChoiceSweep ||
  value instanceof RangeSweep ||
  value instanceof IntervalSweep ||
  value instanceof GlobSweep;

export const isNumber = (value: unknown): value is number | bigint | Float =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Float;

export type OverrideKind = 'set' | 'add' | 'force-add' | 'delete';

export interface Override {
  readonly kind: OverrideKind;
  /** The key before '=', without prefix and package: `agent`, `agent/opt` or `train.lr`. */
  readonly key: string;
  /** The package after '@' in the key of a config group. */
  readonly package?: string;
  /** The value after '='; undefined only for `~key` without a value. */
  readonly value: OverrideValue | undefined;
  readonly text: string;
  /** Where the override comes from, for error messages; the command line if not given. */
  readonly source?: string;
}

/** Returns the text that error messages and origins show for values which an override sets. */
export const overridePlace = ({ text, source = 'command line' }: Override): string => `${source}: ${text}`;

const prefixes: Record<OverrideKind, string> = { set: '', add: '+', 'force-add': '++', delete: '~' };

export function typedKey({ kind, key, package: target }: Override): string {
  return prefixes[kind] + choiceKey(key, target);
}

/** Returns `group@package`, the key by which an override chooses a config group's option in a package. */
export function choiceKey(key: string, target: string | undefined): string {
  return target === undefined ? key : `${key}@${target}`;
}

/** Returns whether an override sets a `hydra.…` key or a `hydra/…` group, which control the run; others set the job's config. */
export const isHydraOverride = ({ key }: Override): boolean => key.startsWith('hydra.') || key.startsWith('hydra/');
