// Constructors of an environment's options. An option has its default, its meaning and its range in one place, the schema of its
// unit, and the type of its value is inferred from it. An option whose default is null may be null.
//
//     const schema = options({ maxTurns: integer(20, 'Questions of an episode.'), data: text(null, 'File of tasks; null: ours.') });
//     type Options = OptionsOf<typeof schema>; // { maxTurns: number; data: string | null }

/** A JSON Schema of one option: its meaning, its default, and any further keywords such as `type` and `minimum`. */
export interface OptionSchema {
  readonly description: string;
  readonly default: unknown;
  readonly [keyword: string]: unknown;
}

/** The schema of an option whose value has the type `Value`. No schema has the key, which only carries the type. */
export interface Option<Value> extends OptionSchema {
  readonly '~value'?: Value;
}

type Members = Readonly<Record<string, OptionSchema>>;

/** The options that code receives for a schema. */
export type OptionsOf<Schema extends { properties: Members }> = {
  [Key in keyof Schema['properties']]: Schema['properties'][Key] extends Option<infer Value> ? Value : never;
};

type OrNull<Default, Value> = Default extends null ? Value | null : Value;

const orNull = (type: string, value: unknown) => (value === null ? [type, 'null'] : type);

/** Declares an option by its whole JSON Schema. */
export const option = <Value>(schema: OptionSchema): Option<Value> => schema;

/** Declares an integer of at least `minimum`, which is 1 if not given. */
export const integer = <const Default extends number | null>(
  value: Default,
  description: string,
  bounds: { minimum?: number; maximum?: number } = {},
): Option<OrNull<Default, number>> => ({
  description,
  type: orNull('integer', value),
  minimum: 1,
  ...bounds,
  default: value,
});

/** Declares an integer, which may be negative. */
export const anyInteger = <const Default extends number | null>(
  value: Default,
  description: string,
): Option<OrNull<Default, number>> => ({ description, type: orNull('integer', value), default: value });

/** Declares a number in [0, 1]. */
export const fraction = (value: number, description: string) =>
  option<number>({ description, type: 'number', minimum: 0, maximum: 1, default: value });

export const flag = (value: boolean, description: string) =>
  option<boolean>({ description, type: 'boolean', default: value });

export const text = <const Default extends string | null>(
  value: Default,
  description: string,
): Option<OrNull<Default, string>> => ({ description, type: orNull('string', value), default: value });

/** Declares one of several texts. */
export const choice = <const Values extends readonly string[], const Default extends Values[number] | null>(
  values: Values,
  value: Default,
  description: string,
): Option<OrNull<Default, Values[number]>> => {
  const listed = { type: 'string', enum: values };
  return { description, ...(value === null ? { anyOf: [listed, { type: 'null' }] } : listed), default: value };
};

/** Returns every option's default. */
export const defaultsOf = <Schema extends { properties: Members }>({ properties }: Schema) =>
  Object.fromEntries(Object.entries(properties).map(([key, { default: value }]) => [key, value])) as OptionsOf<Schema>;

/** Declares all options of a unit, or of its demonstrations. */
export const options = <Properties extends Members>(properties: Properties) =>
  ({ type: 'object', additionalProperties: false, properties }) as const;
