// Finds the variables that a Jinja template gets from its caller: the names that it uses but does not always set itself.
import { globalFunctions } from './globals.js';
import type { Statement } from './syntax.js';

const GLOBAL = Object.keys(globalFunctions(() => new Date(0)));
/** Names that Jinja defines in the body of a loop, a macro or a call block. */
const GIVEN = ['loop', 'caller', 'varargs', 'kwargs'];

/**
 * A name that the template both sets and reads comes from the caller only if it is set as a default, as in `{% if not x is
 * defined %}{% set x = false %}{% endif %}`.
 */
export function freeVariables(statements: readonly Statement[]): Set<string> {
  const read = new Set<string>();
  const bound = new Set<string>([...GLOBAL, ...GIVEN]);
  const tested = new Set<string>();
  visit(statements, { read, bound, tested });
  return new Set([...read].filter((name) => !bound.has(name) || tested.has(name)));
}

interface Names {
  read: Set<string>;
  bound: Set<string>;
  /** Names that are tested by `is defined` or have a filter `default`. */
  tested: Set<string>;
}

/** Visits a node and its children. Nodes are plain objects with a `type` and with children as members. */
function visit(node: unknown, names: Names): void {
  if (Array.isArray(node)) return node.forEach((child) => visit(child, names));
  if (typeof node !== 'object' || node === null) return;
  const { type, name, of, target, value, parameters } = node as Record<string, unknown>;
  if (type === 'name') names.read.add(name as string);
  if (type === 'macro') names.bound.add(name as string);
  if ((type === 'test' || type === 'filter') && LOOKS.includes(name as string) && isName(of)) names.tested.add(of.name);
  if (Array.isArray(parameters)) for (const one of parameters as { name: string }[]) names.bound.add(one.name);
  if (isName(target) && isOrElse(value, target.name)) names.tested.add(target.name);
  if (target !== undefined) bind(target, names);
  for (const [key, child] of Object.entries(node)) if (key !== 'target') visit(child, names);
}

const LOOKS: readonly string[] = ['defined', 'undefined', 'default', 'd', 'none'];

const isName = (node: unknown): node is { name: string } => (node as { type?: unknown } | null)?.type === 'name';

/** Returns whether a value is `x or …`, as in `{% set x = x or … %}`. */
const isOrElse = (value: unknown, name: string): boolean => {
  const { type, left } = (value ?? {}) as { type?: string; left?: unknown };
  return type === 'or' && isName(left) && left.name === name;
};

/** Records a name, an attribute of a namespace, or a tuple of these as set. */
function bind(target: unknown, names: Names): void {
  const {
    type,
    name,
    items,
    target: own,
  } = target as { type: string; name: string; items?: unknown[]; target?: unknown };
  if (type === 'name') names.bound.add(name);
  for (const item of items ?? []) bind(item, names);
  if (own !== undefined) bind(own, names);
}
