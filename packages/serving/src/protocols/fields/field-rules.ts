// Defines the rules for the fields of a request, by which each protocol lists its known fields.

export type FieldRule =
  | { kind: 'served' }
  /** Accepted, and without effect on the answer. */
  | { kind: 'harmless' }
  /** Accepted only with a value that changes nothing. */
  | { kind: 'refused'; unless: readonly unknown[]; instead: string | null };

export type FieldRules = Readonly<Record<string, FieldRule>>;

export const served = (...names: string[]): FieldRules =>
  Object.fromEntries(names.map((name) => [name, { kind: 'served' }]));

export const harmless = (...names: string[]): FieldRules =>
  Object.fromEntries(names.map((name) => [name, { kind: 'harmless' }]));

/** Returns rules that refuse fields, except with values that change nothing. */
export const refused = (
  values: Readonly<Record<string, readonly unknown[]>>,
  instead: string | null = null,
): FieldRules =>
  Object.fromEntries(Object.entries(values).map(([name, unless]) => [name, { kind: 'refused', unless, instead }]));

/** Returns rules that refuse fields and name the field to use instead. */
export const renamed = (names: Readonly<Record<string, string>>): FieldRules =>
  Object.fromEntries(
    Object.entries(names).map(([name, field]) => [name, { kind: 'refused', unless: [], instead: `write ${field}` }]),
  );

export const never: readonly unknown[] = [];
