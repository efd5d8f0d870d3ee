// Defines the error for an unknown name, such as that of an environment. It lists the known names and the most similar one.

export class UnknownNameError extends Error {
  override readonly name = 'UnknownNameError';
  readonly nearest: string | null;

  /** Describes the error. @param kind the kind of thing that the name should name, such as 'environment' */
  constructor(
    kind: string,
    readonly unknown: string,
    readonly known: readonly string[],
  ) {
    const nearest = nearestName(unknown, known);
    super(
      [
        `Unknown ${kind} '${unknown}'`,
        ...(nearest === null ? [] : [`  did you mean '${nearest}'?`]),
        `  known: ${listed(known)}`,
      ].join('\n'),
    );
    this.nearest = nearest;
  }
}

/** Returns the known name with the smallest edit distance, or null if that is over half of the name's length. */
export function nearestName(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let fewest = Math.floor(name.length / 2) + 1;
  for (const candidate of known) {
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/** Returns the number of insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length];
}

function listed(known: readonly string[]): string {
  const shown = known.slice(0, 40).join(', ');
  return known.length <= 40 ? shown : `${shown} … (${known.length} in all)`;
}
