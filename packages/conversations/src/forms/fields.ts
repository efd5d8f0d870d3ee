// Defines the interface through which messages are read: an object in a request's body or in a data file's item. Both share the
// readers, so that a dialogue has the same tokens in training and in serving. They differ in the allowed keys and the wording of
// errors.

/** An object whose fields are read by name. @param Rules determine its allowed keys */
export interface Fields<Rules> {
  /** Returns the value of a field; undefined if it is absent or null. */
  value(name: string): unknown;
  text<Default>(name: string, otherwise: Default): string | Default;
  boolean(name: string): boolean;
  choice<const Option extends string>(name: string, options: readonly Option[], otherwise: Option): Option;
  /** Returns an object; an empty one if the field is absent. */
  object(name: string, rules: Rules | null): Fields<Rules>;
  /** Returns a non-empty array of objects. */
  objects(name: string, rules: Rules | null): Fields<Rules>[];
  /** Wraps another object, or this one with other rules. @param place of the object within this one */
  within(value: unknown, rules: Rules | null, place: string): Fields<Rules>;
  /** Returns the object without the given fields. Its numbers keep their texts. */
  plain(without?: readonly string[]): Record<string, unknown>;
  /** Returns the name of a field for errors. */
  placeOf(name: string): string;
  fail(name: string, problem: string): Error;
  /** Returns further members of a data file's message (loss weight, `cut`, keys of its template); empty for a request. */
  beside(): Readonly<Record<string, unknown>>;
}

/** Returns the objects of a list; empty if it is absent or empty. */
export const listed = <Rules>(fields: Fields<Rules>, name: string, rules: Rules | null): Fields<Rules>[] => {
  const value = fields.value(name);
  return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : fields.objects(name, rules);
};
