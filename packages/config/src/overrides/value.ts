// The values that the text after '=' can have: primitives, quoted strings, lists, dicts, and the sweeps that functions make.
import { Float, type Key } from '../node.js';

/** A string in quotes keeps them, since a sweep writes each job's override again. */
export class QuotedString {
  constructor(
    readonly text: string,
    readonly quote: "'" | '"',
  ) {}
}

export type Primitive = null | boolean | number | bigint | Float | string;

/** A dict: later duplicates win, the first keeps its place. */
export class DictValue {
  readonly pairs: { key: Key | null; value: Element }[] = [];
}

/** A value that is not a sweep. */
export type Element = Primitive | QuotedString | Element[] | DictValue;

/** `a,b,c` (simple) or `choice(a,b,c)`. */
export class ChoiceSweep {
  readonly tags = new Set<string>();
  constructor(
    readonly items: readonly Element[],
    readonly simple: boolean,
    readonly shuffle = false,
  ) {}
}

/** `range(start,stop,step)`. */
export class RangeSweep {
  readonly tags = new Set<string>();
  constructor(
    readonly start: number | bigint | Float,
    readonly stop: number | bigint | Float,
    readonly step: number | bigint | Float,
    readonly shuffle = false,
  ) {}
}

/** `interval(start,end)`: for sweepers that draw values. */
export class IntervalSweep {
  readonly tags = new Set<string>();
  constructor(
    readonly start: number | bigint | Float,
    readonly end: number | bigint | Float,
  ) {}
}

/** `glob(include,exclude)` over a group's options. */
export class GlobSweep {
  constructor(
    readonly include: readonly string[],
    readonly exclude: readonly string[],
  ) {}
}

/** `extend_list(a,b)`: append to the existing list. */
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

/** One parsed command-line override. */
export interface Override {
  readonly kind: OverrideKind;
  /** `agent`, `agent/opt` or `train.lr`. */
  readonly key: string;
  /** The package that follows '@'. */
  readonly package?: string;
  /** Undefined only for `~key` without a value. */
  readonly value: OverrideValue | undefined;
  /** The text as typed. */
  readonly text: string;
  /** The origin of the override, for messages; the command line unless given. */
  readonly source?: string;
}

/** Returns the place of an override, as values set by it name their origin. */
export const overridePlace = ({ text, source = 'command line' }: Override): string => `${source}: ${text}`;

const prefixes: Record<OverrideKind, string> = { set: '', add: '+', 'force-add': '++', delete: '~' };

/** Returns the key as it is typed: prefix, key, package. */
export function typedKey({ kind, key, package: target }: Override): string {
  return prefixes[kind] + choiceKey(key, target);
}

/** Returns `group@package`, the name under which a choice is known. */
export function choiceKey(key: string, target: string | undefined): string {
  return target === undefined ? key : `${key}@${target}`;
}

/** Returns whether an override is of a `hydra.…` key or a `hydra/…` group, which steer the run; all others steer the job. */
export const isHydraOverride = ({ key }: Override): boolean => key.startsWith('hydra.') || key.startsWith('hydra/');
