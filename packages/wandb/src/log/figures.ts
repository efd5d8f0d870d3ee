// A row's figures as lists: names with the JSON text of each value.

/** Rows with the same names should share one array of them: what is prepared for the names is then used again. */
export interface Figures {
  readonly names: readonly string[];
  /** The values as `String` writes them. */
  readonly texts: readonly string[];
}

export const figuresOf = (metrics: Readonly<Record<string, number>>): Figures => ({
  names: Object.keys(metrics),
  texts: Object.values(metrics).map(String),
});
