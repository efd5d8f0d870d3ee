// The interface through which a form of messages is read: an object of a request's body, or of an item of a data file. Both are read by
// the same code, so that a dialogue that is trained has the tokens that it has when it is served; which keys an object may have, and the
// words of errors, are the server's or the data file's own.

/** @param Rules what says which keys an object may have */
export interface Fields<Rules> {
  /** Null counts as left out. */
  value(name: string): unknown;
  text<Default>(name: string, otherwise: Default): string | Default;
  boolean(name: string): boolean;
  choice<const Option extends string>(name: string, options: readonly Option[], otherwise: Option): Option;
  /** An empty object where it is left out. */
  object(name: string, rules: Rules | null): Fields<Rules>;
  /** At least one. */
  objects(name: string, rules: Rules | null): Fields<Rules>[];
  /** Another object, or the same one by other rules, at a place within this one. */
  within(value: unknown, rules: Rules | null, place: string): Fields<Rules>;
  /** Returns the object itself, without the fields that are given; its numbers keep their texts. */
  plain(without?: readonly string[]): Record<string, unknown>;
  /** How errors name a field. */
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
