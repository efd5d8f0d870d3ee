// Defines the interface through which messages are read from a request's body or an item of a data file. One code converts both,
// so that a dialogue has the same tokens in training and in serving; only the allowed keys and the wording of errors differ.

/** @param Rules the type of the rules that determine the allowed keys */
export interface Fields<Rules> {
  /** Returns the value of a field; undefined if it is absent or null. */
  value(name: string): unknown;
  text<Default>(name: string, otherwise: Default): string | Default;
  boolean(name: string): boolean;
  choice<const Option extends string>(name: string, options: readonly Option[], otherwise: Option): Option;
  /** Returns the object in a field; an empty one if the field is absent. */
  object(name: string, rules: Rules | null): Fields<Rules>;
  /** Returns the objects in a field, which must be a non-empty array. */
  objects(name: string, rules: Rules | null): Fields<Rules>[];
  /** Wraps another object, or this one with other rules. @param place the path of the object within this one, for errors */
  within(value: unknown, rules: Rules | null, place: string): Fields<Rules>;
  /** Returns the object itself, without the fields `without`. Its numbers keep the text with which they are written. */
  plain(without?: readonly string[]): Record<string, unknown>;
  /** Returns the path by which errors name a field. */
  placeOf(name: string): string;
  fail(name: string, problem: string): Error;
  /** Returns a message's loss weight, `cut`, and keys that chat templates read, from a data file; empty for a request. */
  beside(): Readonly<Record<string, unknown>>;
}

/** Returns the objects of a list; an empty list if the field is absent or empty. */
export const listed = <Rules>(fields: Fields<Rules>, name: string, rules: Rules | null): Fields<Rules>[] => {
  const value = fields.value(name);
  return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : fields.objects(name, rules);
};
