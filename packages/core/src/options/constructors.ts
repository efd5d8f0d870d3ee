// Declares options by constructors. The schema of an algorithm, environment or task is the one place that states an option's
// default, description, range and flat names (other names without the path of nodes).
//
//     group({ gamma: fraction(0.95, 'discount per turn', { flat: 'gamma' }) }, 'the critic')
//
// The constructors make JSON Schema; `flat` and `decides` are annotations that validators ignore.
import { Type, type Static, type TProperties, type TSchema, type TUnsafe } from '@sinclair/typebox';

export interface OptionDetails {
  /** The option's flat names: its names without a path, as in configs of version 0.2 and of ArCHer. */
  flat?: string | readonly string[];
  /** False if the option does not affect a run's results, so that a resumed run may have another value of it. */
  decides?: false;
}

type Bounds = { minimum?: number; maximum?: number };

/** The schema of an option whose value has the type `Value`. */
export interface Option<Value> extends TUnsafe<Value> {
  description: string;
  default: unknown;
}

/** Declares an option by its complete JSON Schema. */
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
 * Declares an option that may be null; null is its default unless `default` is given.
 *
 * @param kind makes the schema of its other values: a constructor above, or a function such as `() => Type.String()`
 */
export function optional<Schema extends TSchema>(
  kind: (value: number, description: string) => Schema,
  description: string,
  details: OptionDetails & { default?: Static<Schema> | null } = {},
) {
  const { default: _, description: __, ...schema } = kind(1, '');
  return Type.Union([schema as Schema, Type.Null()], { default: null, description, ...details });
}

/** Declares a text that may be null; null is its default unless `default` is given. */
export const optionalText = (description: string, details: OptionDetails & { default?: string } = {}) =>
  optional(() => Type.String(), description, details);

/** Returns an option with another default, for an algorithm that differs from others which share the option. */
export const defaulting = <Schema extends TSchema>(option: Schema, value: Static<Schema>): Schema => ({
  ...option,
  default: value,
});

/** Declares a group of options: a config node without other members. `flat` is the node's name in version 0.2. */
export const group = <Members extends TProperties>(
  members: Members,
  description: string,
  details: Pick<OptionDetails, 'flat'> = {},
) => Type.Object(members, { additionalProperties: false, description, ...details });

/** Declares all options of an algorithm, an environment or a task. */
export const unitOptions = <Members extends TProperties>(members: Members) =>
  Type.Object(members, { additionalProperties: false });
