// Environments by name. A user's plugin registers its own beside the built-in ones.
import { checkedEnv } from './contract/checked-env.js';
import type { Env, Split } from './contract/env.js';
import { shown } from './contract/shown.js';
import { UnknownNameError } from './contract/unknown-name-error.js';
import { builtInEnvironments, type BuiltInOptions } from './built-in.js';
import { mixtureUnit } from './mixture/unit.js';
import type { EnvParts } from './oracle.js';
import { seedSplits, SplitEnv, type SplitPlan } from './splits.js';
import type { AnyEnvironment, OptionsSchema } from './unit.js';

// Below, as far as a mixture finds its members by name.
const mixture = mixtureUnit({
  unit: (name) => environmentInfo(name),
  make: (name, options, parts) => makeEnv(name, options, parts),
  options: ({ name, options }) => withDefaults(environmentInfo(name).schema, options, name),
  plan: (name, options) => splitPlan(name, options),
});

const environments = new Map<string, AnyEnvironment>(
  [...builtInEnvironments, mixture].map((unit) => [unit.name, unit]),
);

/** Any registered name: a plugin may add to them at run time. */
export type EnvName = string;

/** @throws if the name is taken by another environment, or the unit does not say how its items are divided */
export function registerEnvironment(unit: AnyEnvironment): void {
  const other = environments.get(unit.name);
  if (other !== undefined && other !== unit) throw new Error(`the environment '${unit.name}' is registered already`);
  // A plugin in JavaScript may leave out what the type demands.
  if ((unit as Partial<AnyEnvironment>).splits === undefined)
    throw new Error(
      `the environment '${unit.name}' does not say which items are for training and which for tests\n` +
        "  if every seed makes another item, add splits: 'seeds' to its unit; else see docs/extending/environment.md",
    );
  const faults = unitFaults(unit);
  if (faults.length > 0)
    throw new Error(
      `the environment '${unit.name}' is no complete unit\n${faults.map((fault) => `  - ${fault}\n`).join('')}` +
        '  see docs/extending/environment.md',
    );
  environments.set(unit.name, unit);
}

/** The faults of a unit in JavaScript: members that are absent or of another type. */
function unitFaults(unit: AnyEnvironment): string[] {
  const { name, description, schema, resetSchema, make, splits, sampleActions, typicalReturn } =
    unit as Partial<AnyEnvironment>;
  const isSchema = (value: { properties?: unknown } | undefined) => typeof value?.properties === 'object';
  const actionsAreTexts = Array.isArray(sampleActions) && sampleActions.every((action) => typeof action === 'string');
  const demands: [string, string, unknown, boolean][] = [
    ['name', 'a text', name, typeof name === 'string' && name !== ''],
    ['description', 'a text', description, typeof description === 'string'],
    ['schema', 'a JSON Schema with properties (noOptions where there are none)', schema, isSchema(schema)],
    ['resetSchema', 'a JSON Schema with properties (resetSchemaWith())', resetSchema, isSchema(resetSchema)],
    ['make', 'a function', make, typeof make === 'function'],
    ['splits', "'seeds' or a function", splits, splits === 'seeds' || typeof splits === 'function'],
    ['sampleActions', 'a list of texts', sampleActions, actionsAreTexts && sampleActions.length > 0],
    ['typicalReturn', 'a function', typicalReturn, typeof typicalReturn === 'function'],
  ];
  return demands.flatMap(([key, kind, value, isKept]) =>
    isKept ? [] : [`${key} must be ${kind}; got ${shown(value)}`],
  );
}

/** Of all environments, in the order of their registration. */
export const environmentNames = (): string[] => [...environments.keys()];

/** @throws UnknownNameError for a name that is not registered, with the nearest that is */
export function environmentInfo(name: string): AnyEnvironment {
  const unit = environments.get(name);
  if (unit === undefined) throw new UnknownNameError('environment', name, environmentNames());
  return unit;
}

/** Names that environments' resets have for the number of a problem. */
const ITEM_KEYS = ['dataIdx', 'game', 'goal', 'item'];

/** What an environment's `reset` calls the number of a problem, as AgentGym counts them; the seed where it has no such numbers. */
export const itemKey = (name: string): string =>
  ITEM_KEYS.find((key) => Object.hasOwn(environmentInfo(name).resetSchema.properties, key)) ?? 'seed';

/** How the environment divides its items under these options. */
export function splitPlan(name: string, options: Record<string, unknown> = {}): SplitPlan {
  const unit = environmentInfo(name);
  return unit.splits === 'seeds' ? seedSplits() : unit.splits(withDefaults(unit.schema, options, name));
}

/** Makes an environment that plays items of one split only. */
export const makeSplitEnv = (
  name: string,
  split: Split,
  options: Record<string, unknown> = {},
  parts: EnvParts = {},
): Env => new SplitEnv(makeEnv(name, options, parts), splitPlan(name, options), split);

/** Makes an environment that plays all items; options that are left out take the schema's defaults, unknown ones are refused. */
export function makeEnv<Name extends keyof BuiltInOptions>(
  name: Name,
  options?: Partial<BuiltInOptions[Name]>,
  parts?: EnvParts,
): Env;
export function makeEnv(name: string, options?: Record<string, unknown>, parts?: EnvParts): Env;
export function makeEnv(name: string, options: Record<string, unknown> = {}, parts: EnvParts = {}): Env {
  const { schema, make } = environmentInfo(name);
  return checkedEnv(make(withDefaults(schema, options, name), parts), name);
}

/** The options with the schema's defaults filled in. Types and ranges are for a JSON Schema validator to check. */
export function withDefaults(schema: OptionsSchema, options: object, name: string): Record<string, unknown> {
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new UnknownNameError(`option of ${name}`, unknown, known);
  const defaults = Object.entries(schema.properties).map(([key, property]) => [key, property.default]);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...defaults, ...given]);
}
