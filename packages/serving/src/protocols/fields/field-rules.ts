// Defines whether the server uses, accepts or refuses a field of a request's JSON body. Each API protocol lists its fields.

export type FieldRule =
  | { kind: 'served' }
  /** The field is accepted, but has no effect on the answer. */
  | { kind: 'harmless' }
  /** The field is accepted only with the values of `unless`, with which it would change nothing. */
  | { kind: 'refused'; unless: readonly unknown[]; instead: string | null };

export type FieldRules = Readonly<Record<string, FieldRule>>;

export const served = (...names: string[]): FieldRules =>
  Object.fromEntries(names.map((name) => [name, { kind: 'served' }]));

export const harmless = (...names: string[]): FieldRules =>
  Object.fromEntries(names.map((name) => [name, { kind: 'harmless' }]));

/** Makes rules that refuse fields, except with values that would change nothing. */
export const refused = (
  values: Readonly<Record<string, readonly unknown[]>>,
  instead: string | null = null,
): FieldRules =>
  Object.fromEntries(Object.entries(values).map(([name, unless]) => [name, { kind: 'refused', unless, instead }]));

/** Makes rules that refuse fields of other programs, with an error that names the equivalent field of this API. */
export const renamed = (names: Readonly<Record<string, string>>): FieldRules =>
  Object.fromEntries(
    Object.entries(names).map(([name, field]) => [name, { kind: 'refused', unless: [], instead: `write ${field}` }]),
  );

export const never: readonly unknown[] = [];
