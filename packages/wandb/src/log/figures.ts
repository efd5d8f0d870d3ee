// Defines the metrics of one logged step as lists: names, and the value of each as text.

/**
 * The metrics of one step. Steps with the same names should share one array `names`, since a writer caches what it computes for
 * it.
 */
export interface Figures {
  readonly names: readonly string[];
  /** The values as text, as `String` formats them. */
  readonly texts: readonly string[];
}

export const figuresOf = (metrics: Readonly<Record<string, number>>): Figures => ({
  names: Object.keys(metrics),
  texts: Object.values(metrics).map(String),
});
