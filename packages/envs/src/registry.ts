// Environments by name. A user's plugin registers its own beside the built-in ones.
import type { Env } from './contract/env.js';
import { UnknownNameError } from './contract/unknown-name-error.js';
import { builtInEnvironments, type BuiltInOptions } from './built-in.js';
import { mixtureUnit } from './mixture/unit.js';
import type { EnvParts } from './oracle.js';
import type { AnyEnvironment, OptionsSchema } from './unit.js';

// Below, as far as a mixture finds its members by name.
const mixture = mixtureUnit({
  unit: (name) => environmentInfo(name),
  make: (name, options, parts) => makeEnv(name, options, parts),
  options: ({ name, options }) => withDefaults(environmentInfo(name).schema, options, name),
});

const environments = new Map<string, AnyEnvironment>([...builtInEnvironments, mixture].map((unit) => [unit.name, unit]));

/** Any registered name: a plugin may add to them at run time. */
export type EnvName = string;

/** @throws if the name is taken by another environment */
export function registerEnvironment(unit: AnyEnvironment): void {
  const other = environments.get(unit.name);
  if (other !== undefined && other !== unit) throw new Error(`the environment '${unit.name}' is registered already`);
  environments.set(unit.name, unit);
}

/** Of all environments, in the order of their registration. */
export const environmentNames = (): string[] => [...environments.keys()];

/** @throws UnknownNameError for a name that is not registered, with the nearest that is */
export function environmentInfo(name: string): AnyEnvironment {
  const unit = environments.get(name);
  if (unit === undefined) throw new UnknownNameError('environment', name, environmentNames());
  return unit;
}

/** Makes an environment; options that are left out take the schema's defaults, unknown ones are refused. */
export function makeEnv<Name extends keyof BuiltInOptions>(
  name: Name,
  options?: Partial<BuiltInOptions[Name]>,
  parts?: EnvParts,
): Env;
export function makeEnv(name: string, options?: Record<string, unknown>, parts?: EnvParts): Env;
export function makeEnv(name: string, options: Record<string, unknown> = {}, parts: EnvParts = {}): Env {
  const { schema, make } = environmentInfo(name);
  return make(withDefaults(schema, options, name), parts);
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
