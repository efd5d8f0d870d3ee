// Finds the positions whose log-probability is reported although they have no weight in the loss, such as those of a prompt. The
// LM head computes their logits in the forward pass only, and once for tokens that several examples share.
export interface ReportedTokens {
  /** [reported] indices into `TokenBatch.ids` */
  positions: Int32Array;
  /** [reported] the id of the token whose log-probability is reported */
  targets: Int32Array;
  /** Each reported log-probability's example and token; `at` is its index in `positions`, which several examples may share. */
  places: readonly { example: number; token: number; at: number }[];
}

/**
 * @param chosen the indices of the batch's examples, one per row
 * @param at returns the position in the batch of a token of a row
 * @param isScored returns whether the loss needs log p of a token anyway
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
