// How alike two texts are, whatever the order of their words.
// Source: the token-set ratio of the fuzzy matching libraries that WebShop uses.

const tokensOf = (text: string): Set<string> =>
  new Set(
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_]+/gu, ' ')
      .split(' ')
      .filter(Boolean),
  );

/** Length of the longest common subsequence. */
function commonLength(a: string, b: string): number {
  let row = new Uint16Array(b.length + 1);
  for (const character of a) {
    const next = new Uint16Array(b.length + 1);
    for (let j = 1; j <= b.length; j++) {
      next[j] = character === b[j - 1] ? row[j - 1] + 1 : Math.max(row[j], next[j - 1]);
    }
    row = next;
  }
  return row[b.length];
}

/** 100 · 2 · matches / total length. */
function similarity(a: string, b: string): number {
  if (a === '' || b === '') return 0;
  return a === b ? 100 : (200 * commonLength(a, b)) / (a.length + b.length);
}

/**
 * With I the common tokens and A, B those of one text alone, all sorted and joined by blanks:
 *
 *     max( sim(I, I A), sim(I, I B), sim(I A, I B) )
 *
 * Differs from the original: matches are the longest common subsequence, not the blocks that Python's difflib finds.
 *
 * @returns 0…100; a text whose tokens are a subset of the other's scores 100
 */
export function tokenSetRatio(first: string, second: string): number {
  const [a, b] = [tokensOf(first), tokensOf(second)];
  const sorted = (tokens: Iterable<string>) => [...tokens].sort();
  const common = sorted([...a].filter((token) => b.has(token)));
  const withA = [...common, ...sorted([...a].filter((token) => !b.has(token)))].join(' ');
  const withB = [...common, ...sorted([...b].filter((token) => !a.has(token)))].join(' ');
  const both = common.join(' ');
  return Math.max(similarity(both, withA), similarity(both, withB), similarity(withA, withB));
}
