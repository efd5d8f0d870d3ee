// Defines the metrics of a row as lists: names, and the JSON text of each value.

/** The names. Rows with the same names should share one array, since a writer caches what it computes for it. */
export interface Figures {
  readonly names: readonly string[];
  /** The values as text, in the form of `String`. */
  readonly texts: readonly string[];
}

export const figuresOf = (metrics: Readonly<Record<string, number>>): Figures => ({
  names: Object.keys(metrics),
  texts: Object.values(metrics).map(String),
});
