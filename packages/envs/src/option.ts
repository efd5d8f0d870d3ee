// The options of an environment: a JSON Schema with the option constructors of @bowyer/core, whose keys are in camelCase and any of
// which may be left out.
//
//     const schema = options({ maxTurns: integer(20, 'Questions of an episode.'), data: text(null, 'File of tasks; null: ours.') });
//     type Options = OptionsOf<typeof schema>; // { maxTurns: number; data: string | null }
import type { Static, TSchema } from '@bowyer/core';

/** A JSON Schema of one option: its meaning, its default, and any further keywords such as `type` and `minimum`. */
export interface OptionSchema {
  readonly description: string;
  readonly default: unknown;
  readonly [keyword: string]: unknown;
}

type Members = Readonly<Record<string, OptionSchema>>;

/** The options that code receives for a schema. */
export type OptionsOf<Schema extends { properties: Readonly<Record<string, unknown>> }> = {
  [Key in keyof Schema['properties']]: Schema['properties'][Key] extends TSchema
    ? Static<Schema['properties'][Key]>
    : never;
};

/** Returns every option's default. */
export const defaultsOf = <Schema extends { properties: Members }>({ properties }: Schema) =>
  Object.fromEntries(Object.entries(properties).map(([key, { default: value }]) => [key, value])) as OptionsOf<Schema>;

/** Declares all options of a unit, or of its demonstrations. */
export const options = <Properties extends Members>(properties: Properties) =>
  ({ type: 'object', additionalProperties: false, properties }) as const;
