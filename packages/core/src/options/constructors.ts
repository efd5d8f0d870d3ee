// Constructors of options. An option has its default, its meaning, its range and its flat names in one place: the schema of its unit.
//
//     group({ gamma: fraction(0.95, 'discount per turn', { flat: 'gamma' }) }, 'the critic')
//
// They make JSON Schema, whose keyword `default` is standard; `flat` and `decides` are annotations that validators ignore. The type of
// an option's value is inferred from its schema: one whose default is null may be null.
import { Type, type Static, type TProperties, type TSchema, type TUnsafe } from '@sinclair/typebox';

export interface OptionDetails {
  /** The name or names by which version 0.2 and ArCHer's configs knew the option. */
  flat?: string | readonly string[];
  /** False where the option does not decide a run's numbers: a run that is resumed may have another value of it. */
  decides?: false;
}

type Bounds = { minimum?: number; maximum?: number };

/** The schema of an option whose value has the type `Value`. */
export interface Option<Value> extends TUnsafe<Value> {
  description: string;
  default: unknown;
}

/** Declares an option by its whole JSON Schema. */
export const option = <Value>(schema: { description: string; default: unknown; [keyword: string]: unknown }) =>
  Type.Unsafe<Value>(schema) as Option<Value>;

type OrNull<Default, Value> = Default extends null ? Value | null : Value;

const orNull = (type: string, value: unknown) => (value === null ? [type, 'null'] : type);

/** Declares an integer of at least `minimum`, which is 1 if not given. */
export const integer = <const Default extends number | null>(
  value: Default,
  description: string,
  details: OptionDetails & Bounds = {},
) =>
  option<OrNull<Default, number>>({
    type: orNull('integer', value),
    minimum: 1,
    default: value,
    description,
    ...details,
  });

/** Declares a number above zero. */
export const positive = (value: number, description: string, details: OptionDetails & Bounds = {}) =>
  Type.Number({ exclusiveMinimum: 0, default: value, description, ...details });

/** Declares a number of at least zero. */
export const nonNegative = (value: number, description: string, details: OptionDetails = {}) =>
  Type.Number({ minimum: 0, default: value, description, ...details });

/** Declares a number in [0, 1]. */
export const fraction = (value: number, description: string, details: OptionDetails = {}) =>
  option<number>({ type: 'number', minimum: 0, maximum: 1, default: value, description, ...details });

/** Declares one of several texts. */
export const choice = <const Values extends readonly string[], const Default extends Values[number] | null>(
  values: Values,
  value: Default,
  description: string,
  details: OptionDetails = {},
) => {
  const listed = { type: 'string', enum: [...values] };
  const schema = value === null ? { anyOf: [listed, { type: 'null' }] } : listed;
  return option<OrNull<Default, Values[number]>>({ ...schema, default: value, description, ...details });
};

export const text = <const Default extends string | null>(
  value: Default,
  description: string,
  details: OptionDetails = {},
) => option<OrNull<Default, string>>({ type: orNull('string', value), default: value, description, ...details });

export const texts = (value: readonly string[], description: string, details: OptionDetails = {}) =>
  Type.Array(Type.String(), { default: [...value], description, ...details });

export const flag = (value: boolean, description: string, details: OptionDetails = {}) =>
  option<boolean>({ type: 'boolean', default: value, description, ...details });

/**
 * Declares an option that may be null, which is its default if `default` is not given.
 *
 * @param kind what it is otherwise: a constructor above, such as `positive`, or one of a schema, such as `() => Type.String()`
 */
export function optional<Schema extends TSchema>(
  kind: (value: number, description: string) => Schema,
  description: string,
  details: OptionDetails & { default?: Static<Schema> | null } = {},
) {
  const { default: _, description: __, ...schema } = kind(1, '');
  return Type.Union([schema as Schema, Type.Null()], { default: null, description, ...details });
}

/** Declares a text that may be null, which is its default if `default` is not given. */
export const optionalText = (description: string, details: OptionDetails & { default?: string } = {}) =>
  optional(() => Type.String(), description, details);

/** Gives an option another default, where one unit has another than those that share the option. */
export const defaulting = <Schema extends TSchema>(option: Schema, value: Static<Schema>): Schema => ({
  ...option,
  default: value,
});

/** Declares options that belong together: a closed node of the config. With `flat` its members were those of the node of that name. */
export const group = <Members extends TProperties>(
  members: Members,
  description: string,
  details: Pick<OptionDetails, 'flat'> = {},
) => Type.Object(members, { additionalProperties: false, description, ...details });

/** Declares all options of a unit. */
export const unitOptions = <Members extends TProperties>(members: Members) =>
  Type.Object(members, { additionalProperties: false });
