// Cutting a text at the matches of a pattern: what becomes of the matches is the behaviour.
import { DefinitionError } from './definition.js';

export type SplitBehavior = 'Removed' | 'Isolated' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous';

const behaviors: readonly string[] = [
  'Removed',
  'Isolated',
  'MergedWithPrevious',
  'MergedWithNext',
  'Contiguous',
] satisfies SplitBehavior[];

/** A stretch of the text; matches and what is between them alternate, and together they are the whole text. */
interface Stretch {
  text: string;
  isMatch: boolean;
}

export function splitBehavior(value: unknown): SplitBehavior {
  if (typeof value === 'string' && behaviors.includes(value)) return value as SplitBehavior;
  throw new DefinitionError(`the behavior ${JSON.stringify(value)} of a split is not known`);
}

/** @param invert what the pattern does not match counts as the matches */
export function* split(text: string, pattern: RegExp, behavior: SplitBehavior, invert = false): Generator<string> {
  const stretches = stretchesOf(text, pattern, invert);
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

function* stretchesOf(text: string, pattern: RegExp, invert: boolean): Generator<Stretch> {
  let end = 0;
  for (const { 0: found, index } of matchesOf(text, pattern)) {
    if (index > end) yield { text: text.slice(end, index), isMatch: invert };
    yield { text: found, isMatch: !invert };
    end = index + found.length;
  }
  if (end < text.length) yield { text: text.slice(end), isMatch: invert };
}

/** Matches of a global pattern that are not empty. Several texts may be in progress: the position is not the pattern's. */
export function* matchesOf(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let at = 0;
  while (at < text.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return;
    at = match.index + match[0].length;
    if (match[0] !== '') yield match;
    else at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  }
}

/** A match joins the stretch before it, but not another match. */
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

/** Matches that touch are one piece. */
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
