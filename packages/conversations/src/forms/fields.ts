// The interface through which messages are read: an object of a request's body, or of an item of a data file. One reader serves
// both, so that a dialogue has the same tokens in training and serving. Which keys an object may have, and the words of errors,
// differ between the two.

/** An object whose fields are read by name. @param Rules says which keys an object may have */
export interface Fields<Rules> {
  /** Returns the value of a field; null counts as left out. */
  value(name: string): unknown;
  text<Default>(name: string, otherwise: Default): string | Default;
  boolean(name: string): boolean;
  choice<const Option extends string>(name: string, options: readonly Option[], otherwise: Option): Option;
  /** Returns an object; an empty one where it is left out. */
  object(name: string, rules: Rules | null): Fields<Rules>;
  /** Returns an array of objects, at least one. */
  objects(name: string, rules: Rules | null): Fields<Rules>[];
  /** Wraps another object, or the same one by other rules, at a place within this one. */
  within(value: unknown, rules: Rules | null, place: string): Fields<Rules>;
  /** Returns the object itself, without the fields that are given; its numbers keep their texts. */
  plain(without?: readonly string[]): Record<string, unknown>;
  /** Returns how errors name a field. */
  placeOf(name: string): string;
  /** Returns an error about a field. */
  fail(name: string, problem: string): Error;
  /**
   * Returns the members of a data file's message beside those that a form reads: its weight in the loss, whether it was cut off, and keys of
   * its template. A request has none.
   */
  beside(): Readonly<Record<string, unknown>>;
}

/** Returns the objects of a list; none where it is left out or empty. */
export const listed = <Rules>(fields: Fields<Rules>, name: string, rules: Rules | null): Fields<Rules>[] => {
  const value = fields.value(name);
  return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : fields.objects(name, rules);
};
