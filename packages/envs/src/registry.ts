// The registry of environments by name. A user's plugin adds its own to the built-in ones.
import { defaultOffer, type ContextOffer } from './context/context-options.js';
import { checkedEnv } from './contract/checked-env.js';
import type { Env, Split } from './contract/env.js';
import { UnknownNameError } from './contract/unknown-name-error.js';
import * as builtIn from './built-in.js';
import { defineEnvironment } from './define-environment.js';
import { mixtureUnit } from './mixture/unit.js';
import { defaultsOf } from './option.js';
import type { EnvParts } from './oracle.js';
import { seedSplits, SplitEnv, type SplitPlan } from './splits.js';
import type { AnyEnvironment, EnvironmentUnit, OptionsSchema } from './unit.js';

// The mixture finds its members by functions that are defined below.
const mixture = mixtureUnit({
  unit: (name) => environmentInfo(name),
  make: (name, options, parts) => makeEnv(name, options, parts),
  options: ({ name, options }) => withDefaults(environmentInfo(name).schema, options, name),
  plan: (name, options) => splitPlan(name, options),
});

/** All units of `built-in.ts`, exported alone or in a family. */
const builtInUnits: AnyEnvironment[] = Object.values(builtIn)
  .flatMap((entry): AnyEnvironment[] => ('make' in entry ? [entry] : Object.values(entry)))
  .sort((a, b) => (a.name < b.name ? -1 : 1));

const environments = new Map<string, AnyEnvironment>([...builtInUnits, mixture].map((unit) => [unit.name, unit]));

// oxlint-disable-next-line typescript/no-explicit-any -- whatever the demonstrations of a unit read
type OptionsOfUnit<Unit> = Unit extends EnvironmentUnit<infer Options, any> ? Options : never;

/** The options by name: of an entry that is a unit, or of each unit of a family. */
type OptionsOfEntry<Name extends PropertyKey, Entry> = Entry extends { make: unknown }
  ? Record<Name, OptionsOfUnit<Entry>>
  : { [Member in keyof Entry]: OptionsOfUnit<Entry[Member]> };

type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The options of the built-in environments by name, as their units state them. */
type BuiltInOptions = Intersection<
  { [Name in keyof typeof builtIn]: OptionsOfEntry<Name, (typeof builtIn)[Name]> }[keyof typeof builtIn]
>;

/** Any registered name: a plugin may add to them at run time. */
export type EnvName = string;

/**
 * Adds an environment.
 *
 * @param unit of `defineEnvironment`
 * @throws if the name is taken by another environment
 * @throws {InvalidEnvironmentError} for a unit with members that are missing, unknown or of another type
 */
export function registerEnvironment(unit: AnyEnvironment): void {
  const complete = defineEnvironment(unit);
  const other = environments.get(unit.name);
  if (other !== undefined && other !== complete)
    throw new Error(`the environment '${unit.name}' is registered already`);
  environments.set(unit.name, complete);
}

/** Returns the names of all environments: the built-in ones in alphabetical order, then those of plugins. */
export const environmentNames = (): string[] => [...environments.keys()];

/** Returns an environment's unit. @throws UnknownNameError for a name that is not registered, with the nearest that is */
export function environmentInfo(name: string): AnyEnvironment {
  const unit = environments.get(name);
  if (unit === undefined) throw new UnknownNameError('environment', name, environmentNames());
  return unit;
}

/** The names that environments' resets have for the number of a problem. */
const ITEM_KEYS = ['dataIdx', 'game', 'goal', 'item'];

/** Returns the name that an environment's `reset` has for the number of a problem, as AgentGym counts them; `seed` if it has no such numbers. */
export const itemKey = (name: string): string =>
  ITEM_KEYS.find((key) => Object.hasOwn(environmentInfo(name).resetSchema.properties, key)) ?? 'seed';

/** Returns how the environment divides its items under these options. */
export function splitPlan(name: string, options: Record<string, unknown> = {}): SplitPlan {
  const unit = environmentInfo(name);
  return unit.splits === 'seeds' ? seedSplits() : unit.splits(withDefaults(unit.schema, options, name));
}

/** Returns the parts of the text that an agent can read, under these options. */
export function contextOffer(name: string, options: Record<string, unknown> = {}): ContextOffer {
  const { context, schema } = environmentInfo(name);
  return context?.(withDefaults(schema, options, name)) ?? defaultOffer;
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

/** Returns the options with the schema's defaults filled in. Types and ranges are for a JSON Schema validator to check. */
export function withDefaults(schema: OptionsSchema, options: object, name: string): Record<string, unknown> {
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new UnknownNameError(`option of ${name}`, unknown, known);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaultsOf(schema), ...Object.fromEntries(given) };
}
