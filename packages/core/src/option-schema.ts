// Declares JSON Schemas of config keys by short constructors, each with a description that has its unit, and the types derived from them.
import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox';

export const nullable = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description });

export const count = (description: string, minimum = 1) => Type.Integer({ minimum, description });

/** Marks a config key that does not affect a run's results, so that a resumed run may change its value. */
export const changeableOnResume = <T extends TSchema>(schema: T): T => ({ ...schema, decides: false });

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The same type with camelCase keys, as `camelKeys` returns it. */
export type CamelKeys<T> = T extends readonly (infer _)[]
  ? T
  : T extends object
    ? { [K in keyof T as K extends string ? CamelCase<K> : K]: CamelKeys<T[K]> }
    : T;

/** The options that code receives for a schema with snake_case keys. */
export type OptionsOf<Schema extends TObject> = CamelKeys<Static<Schema>>;
