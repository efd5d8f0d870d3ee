// Defines the options of an environment: a JSON Schema from the option constructors of @bowyer/core. Keys are in camelCase, and
// each has a default.
//
//     const schema = options({ maxTurns: integer(20, 'Questions of an episode.'), data: text(null, 'File of tasks; null: ours.')
//     });
//     type Options = OptionsOf<typeof schema>; // { maxTurns: number; data: string | null }
import type { Static, TSchema } from '@bowyer/core';

/** The JSON Schema of one option: its meaning, its default, and further keywords such as `type` and `minimum`. */
export interface OptionSchema {
  readonly description: string;
  readonly default: unknown;
  readonly [keyword: string]: unknown;
}

type Members = Readonly<Record<string, OptionSchema>>;

/** The type of an object with a value for each option of a schema. */
export type OptionsOf<Schema extends { properties: Readonly<Record<string, unknown>> }> = {
  [Key in keyof Schema['properties']]: Schema['properties'][Key] extends TSchema
    ? Static<Schema['properties'][Key]>
    : never;
};

export const defaultsOf = <Schema extends { properties: Members }>({ properties }: Schema) =>
  Object.fromEntries(Object.entries(properties).map(([key, { default: value }]) => [key, value])) as OptionsOf<Schema>;

/** Makes the schema of all options of an environment, or of its demonstrations. */
export const options = <Properties extends Members>(properties: Properties) =>
  ({ type: 'object', additionalProperties: false, properties }) as const;
