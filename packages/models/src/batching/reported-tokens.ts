// Finds positions whose log-probability is reported although they have no weight in the loss, such as those of a prompt. The LM
// head computes them in the forward pass alone, and once for tokens that several examples share.
/** The positions of one batch that are reported without a weight. */
export interface ReportedTokens {
  /** [reported] as in `TokenBatch` */
  positions: Int32Array;
  /** [reported] token ids */
  targets: Int32Array;
  /** The example and token of each reported value, which is at index `at` of `positions`. */
  places: readonly { example: number; token: number; at: number }[];
}

/**
 * Finds the positions whose log p is reported without being trained on.
 *
 * @param chosen the batch's examples, one per row
 * @param at returns the position of a token of a row
 * @param isScored returns whether the graph computes log p of a position anyway
 */
export function reportedTokens<Example extends { ids: Int32Array; targets: Int32Array }>(
  examples: readonly Example[],
  chosen: readonly number[],
  at: (row: number, token: number) => number,
  isScored: (example: Example, token: number) => boolean,
): ReportedTokens {
  const positions: number[] = [];
  const targets: number[] = [];
  const places: { example: number; token: number; at: number }[] = [];
  const known = new Map<string, number>();
  const add = (position: number, target: number) => {
    targets.push(target);
    return positions.push(position) - 1;
  };
  chosen.forEach((index, row) => {
    const example = examples[index];
    example.ids.forEach((_, token) => {
      if (isScored(example, token)) return;
      const target = example.targets[token];
      const position = at(row, token);
      const key = `${position} ${target}`;
      const found = known.get(key) ?? add(position, target);
      known.set(key, found);
      places.push({ example: index, token, at: found });
    });
  });
  return { positions: Int32Array.from(positions), targets: Int32Array.from(targets), places };
}
