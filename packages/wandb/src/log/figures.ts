// A row's figures as lists: names with the JSON text of each value.

/** The names; rows with the same names should share one array, since a writer reuses what it computed for it. */
export interface Figures {
  readonly names: readonly string[];
  /** The values as `String` writes them. */
  readonly texts: readonly string[];
}

export const figuresOf = (metrics: Readonly<Record<string, number>>): Figures => ({
  names: Object.keys(metrics),
  texts: Object.values(metrics).map(String),
});
