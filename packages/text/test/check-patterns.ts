// Compares our Split with the Rust library's: `node --conditions=source --import tsx packages/text/test/check-patterns.ts FILE`, where
// `packages/text/test/record-patterns.py fuzz` wrote FILE. Prints differences; fails if there are any.
import { readFileSync } from 'node:fs';
import { preTokenizer } from '../src/tokenizers/pipeline/pre-tokenizers.js';

interface Recording {
  texts: string[];
  isolated: [pattern: string, cells: (string | null)[]][];
}

/** Writes the length of each piece in characters as a digit of base 36; returns the error if there is one. */
function cellsOf(pattern: string, texts: readonly string[]): (string | Error)[] {
  try {
    const split = preTokenizer({ type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false });
    return texts.map((text) => {
      try {
        return [...split(text, true)]
          .filter((piece) => piece !== '')
          .map((piece) => [...piece].length.toString(36))
          .join('');
      } catch (error) {
        return error as Error;
      }
    });
  } catch (error) {
    return texts.map(() => error as Error);
  }
}

const { texts, isolated } = JSON.parse(readFileSync(process.argv[2], 'utf8')) as Recording;
const counts = { patterns: isolated.length, cells: isolated.length * texts.length, refused: 0, different: 0 };
for (const [pattern, theirs] of isolated) {
  cellsOf(pattern, texts).forEach((ours, i) => {
    if (ours === theirs[i] || (ours instanceof Error && theirs[i] === null)) return;
    counts[ours instanceof Error ? 'refused' : 'different']++;
    console.log(JSON.stringify({ pattern, text: texts[i], theirs: theirs[i], ours: String(ours) }));
  });
}
console.log(JSON.stringify(counts));
process.exitCode = counts.different > 0 ? 1 : 0;
