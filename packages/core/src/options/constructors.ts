// Constructors of options. An option has its default, its meaning, its range and its flat names in one place: the schema of its unit.
//
//     group({ gamma: fraction(0.95, 'discount per turn', { flat: 'gamma' }) }, 'the critic')
//
// They make JSON Schema, whose keyword `default` is standard; `flat` and `decides` are annotations that validators ignore.
import { Type, type Static, type TProperties, type TSchema } from '@sinclair/typebox';

export interface OptionDetails {
  /** The name or names by which version 0.2 and ArCHer's configs knew the option. */
  flat?: string | readonly string[];
  /** False where the option does not decide a run's numbers: a run that is resumed may have another value of it. */
  decides?: false;
}

type Bounds = { minimum?: number; maximum?: number };

/** Declares an integer of at least `minimum`, which is 1 if not given. */
export const integer = (value: number, description: string, details: OptionDetails & Bounds = {}) =>
  Type.Integer({ minimum: 1, default: value, description, ...details });

/** Declares a number above zero. */
export const positive = (value: number, description: string, details: OptionDetails & Bounds = {}) =>
  Type.Number({ exclusiveMinimum: 0, default: value, description, ...details });

/** Declares a number of at least zero. */
export const nonNegative = (value: number, description: string, details: OptionDetails = {}) =>
  Type.Number({ minimum: 0, default: value, description, ...details });

/** Declares a number in [0, 1]. */
export const fraction = (value: number, description: string, details: OptionDetails = {}) =>
  Type.Number({ minimum: 0, maximum: 1, default: value, description, ...details });

export const choice = <const Values extends readonly string[]>(
  values: Values,
  value: Values[number],
  description: string,
  details: OptionDetails = {},
) => Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], default: value, description, ...details });

export const text = (value: string, description: string, details: OptionDetails = {}) =>
  Type.String({ default: value, description, ...details });

export const texts = (value: readonly string[], description: string, details: OptionDetails = {}) =>
  Type.Array(Type.String(), { default: [...value], description, ...details });

export const flag = (value: boolean, description: string, details: OptionDetails = {}) =>
  Type.Boolean({ default: value, description, ...details });

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
