// Reads the options schema of an algorithm, environment or task: its defaults, complete options from partial ones, and flat
// names (other names of options, without the path of their nodes).
import { Kind, type TObject, type TSchema } from '@sinclair/typebox';
import { toCamelCase } from '../key-case.js';
import type { OptionsOf } from '../option-schema.js';
import type { OptionDetails } from './constructors.js';

/** Options of which a program states only those that differ from the defaults. */
export type GivenOptions<Options> = {
  [Key in keyof Options]?: Options[Key] extends Plain ? Options[Key] : GivenOptions<Options[Key]>;
};
type Plain = string | number | boolean | null | undefined | readonly unknown[];

export const isGroup = (schema: TSchema): schema is TObject => schema[Kind] === 'Object';

/** Returns whether a JSON Schema describes a node with named options. */
export const isNode = (schema: TSchema): schema is TObject =>
  schema.properties !== undefined && schema.additionalProperties === false;

/** Returns the tree of defaults as in a config file, with snake_case keys. */
export function defaultsOf(schema: TObject): Record<string, unknown> {
  const members = Object.entries(schema.properties);
  return Object.fromEntries(
    members.map(([key, member]) => [key, isGroup(member) ? defaultsOf(member) : member.default]),
  );
}

/**
 * Completes options with defaults. Complete options are returned unchanged.
 *
 * @param besides further names that the outermost object may have; their values are kept
 * @throws {TypeError} for an option that the schema does not have
 */
export function withDefaults<Schema extends TObject>(
  schema: Schema,
  given: GivenOptions<OptionsOf<Schema>>,
  besides: readonly string[] = [],
): OptionsOf<Schema> {
  return filled(schema, given, '', besides) as OptionsOf<Schema>;
}

function filled(schema: TObject, given: object, place: string, besides: readonly string[] = []): object {
  const members = Object.entries(schema.properties).map(([key, member]) => [toCamelCase(key), member] as const);
  const known = new Set([...members.map(([name]) => name), ...besides]);
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new TypeError(`there is no option ${place}${unknown}: the options here are ${[...known].join(', ')}`);
  const missing: Record<string, unknown> = {};
  for (const [name, member] of members) {
    // A getter is not called here, since its call records that the option is read.
    const { value, get } = Object.getOwnPropertyDescriptor(given, name) ?? {};
    if (isGroup(member)) {
      const own = filled(member, (value as object | undefined) ?? {}, `${place}${name}.`);
      if (own !== value) missing[name] = own;
    } else if (value === undefined && get === undefined) missing[name] = member.default;
  }
  return Object.keys(missing).length === 0 ? given : Object.defineProperties(missing, unfilled(given, missing));
}

/** Returns the properties of `given` that are not in `missing`, which has the options whose defaults were filled in. */
const unfilled = (given: object, missing: object): PropertyDescriptorMap =>
  Object.fromEntries(Object.entries(Object.getOwnPropertyDescriptors(given)).filter(([name]) => !(name in missing)));

/** Lists flat name and path of each option or group that has one. `prefix`: the beginning of the paths, such as `algorithm.` */
export function flatNames(schema: TObject, prefix = ''): [flat: string, path: string][] {
  return namesIn(schema, prefix, null);
}

function namesIn(schema: TObject, prefix: string, parent: string | null): [string, string][] {
  return Object.entries(schema.properties).flatMap(([key, member]): [string, string][] => {
    const path = `${prefix}${key}`;
    const own = [(member as OptionDetails).flat ?? []].flat();
    const names = parent === null ? own : [`${parent}.${key}`, ...own];
    const found = names.map((name): [string, string] => [name, path]);
    return isGroup(member) ? [...found, ...namesIn(member, `${path}.`, own[0] ?? null)] : found;
  });
}
