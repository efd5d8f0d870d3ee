// Splits a text at the matches of a pattern, which are removed, kept alone, or joined with a neighbour (`behavior`).
import { DefinitionError } from './definition.js';
import type { Matches } from './patterns.js';

type SplitBehavior = 'Removed' | 'Isolated' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous';

const behaviors: readonly string[] = [
  'Removed',
  'Isolated',
  'MergedWithPrevious',
  'MergedWithNext',
  'Contiguous',
] satisfies SplitBehavior[];

/** A part of the text: a match, or the text between two matches. Matches may be empty; the parts between them are not. */
interface Stretch {
  text: string;
  isMatch: boolean;
}

export function splitBehavior(value: unknown): SplitBehavior {
  if (typeof value === 'string' && behaviors.includes(value)) return value as SplitBehavior;
  throw new DefinitionError(`the behavior ${JSON.stringify(value)} of a split is not known`);
}

/** Splits a text at the matches of a pattern. `invert`: the parts between matches are treated as the matches. */
export function* split(text: string, matches: Matches, behavior: SplitBehavior, invert = false): Generator<string> {
  const stretches = stretchesOf(text, matches, invert);
  switch (behavior) {
    case 'Removed':
    case 'Isolated':
      for (const stretch of stretches) if (behavior === 'Isolated' || !stretch.isMatch) yield stretch.text;
      return;
    case 'MergedWithNext':
      yield* merged([...stretches].reverse(), (match, rest) => match + rest).reverse();
      return;
    case 'MergedWithPrevious':
      yield* merged(stretches, (match, before) => before + match);
      return;
    case 'Contiguous':
      yield* contiguous(stretches);
  }
}

function* stretchesOf(text: string, matches: Matches, invert: boolean): Generator<Stretch> {
  let last = 0;
  for (const [start, end] of matches(text)) {
    if (start > last) yield { text: text.slice(last, start), isMatch: invert };
    yield { text: text.slice(start, end), isMatch: !invert };
    last = end;
  }
  if (last < text.length) yield { text: text.slice(last), isMatch: invert };
}

/** Joins each match with the part of the text before it, unless that part is a match too. */
function merged(stretches: Iterable<Stretch>, join: (match: string, neighbour: string) => string): string[] {
  const result: string[] = [];
  let afterMatch = false;
  for (const { text, isMatch } of stretches) {
    if (isMatch && !afterMatch && result.length > 0) result.push(join(text, result.pop()!));
    else result.push(text);
    afterMatch = isMatch;
  }
  return result;
}

function contiguous(stretches: Iterable<Stretch>): string[] {
  const result: string[] = [];
  let afterMatch = false;
  for (const { text, isMatch } of stretches) {
    if (isMatch === afterMatch && result.length > 0) result.push(result.pop()! + text);
    else result.push(text);
    afterMatch = isMatch;
  }
  return result;
}
