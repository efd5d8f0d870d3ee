// Positions whose log-probability is wanted although nothing is learned there, such as those of a prompt: the head reads them in the
// forward pass alone, and a prefix that examples share once.
/** The positions of one batch that have no weight. */
export interface ReportedTokens {
  /** [reported] row · columns + column; those of the prefix, which comes before the first row, are below 0. */
  positions: Int32Array;
  /** [reported] */
  targets: Int32Array;
  /** The example and token of each number. */
  places: readonly { example: number; token: number; at: number }[];
}

interface BatchShape {
  columns: number;
  prefix: number;
}

/**
 * Finds the positions whose log p is reported without being learned from.
 *
 * @param chosen the batch's examples, one per row
 * @param isScored whether the graph gives log p of a position in any case
 */
export function reportedTokens<Example extends { ids: Int32Array; targets: Int32Array }>(
  examples: readonly Example[],
  chosen: readonly number[],
  { columns, prefix }: BatchShape,
  isScored: (example: Example, token: number) => boolean,
): ReportedTokens {
  const positions: number[] = [];
  const targets: number[] = [];
  const places: { example: number; token: number; at: number }[] = [];
  const shared = new Map<string, number>();
  const add = (position: number, target: number) => {
    targets.push(target);
    return positions.push(position) - 1;
  };
  chosen.forEach((index, row) => {
    const example = examples[index];
    example.ids.forEach((_, token) => {
      if (isScored(example, token)) return;
      const target = example.targets[token];
      const position = token < prefix ? token - prefix : row * columns + token - prefix;
      const key = `${position} ${target}`;
      const at = (position < 0 ? shared.get(key) : undefined) ?? add(position, target);
      if (position < 0) shared.set(key, at);
      places.push({ example: index, token, at });
    });
  });
  return { positions: Int32Array.from(positions), targets: Int32Array.from(targets), places };
}
