// Decides whether a grammar allows any text at all, whatever the vocabulary, so that an impossible schema is refused before
// sampling.
import type { Grammar } from './grammar.js';
import { regularHasText } from './regular-questions.js';

/** Inner grammars are checked until nothing changes, since a rule that contains itself has a text only by another choice. */
export function hasTexts(grammar: Grammar): boolean {
  const parts = partsOf(grammar);
  const known = new Set<Grammar>();
  const has = (part: Grammar): boolean => known.has(part);
  for (let changed = true; changed && !has(grammar);) {
    changed = false;
    for (const part of parts) if (!has(part) && hasTextsWith(part, has)) changed = !!known.add(part);
  }
  return has(grammar);
}

/** Lists the grammars that a grammar consists of, inner ones before outer ones. */
function partsOf(grammar: Grammar): Grammar[] {
  const parts = new Set([grammar]);
  for (const part of parts) for (const inner of innerOf(part)) parts.add(inner);
  return [...parts].reverse();
}

function innerOf(grammar: Grammar): readonly Grammar[] {
  switch (grammar.kind) {
    case 'sequence':
    case 'either':
      return grammar.parts;
    case 'repeat':
      return [grammar.part];
    case 'rule':
      return [grammar.body()];
    default:
      return [];
  }
}

function hasTextsWith(grammar: Grammar, has: (part: Grammar) => boolean): boolean {
  switch (grammar.kind) {
    case 'texts':
      return grammar.texts.length > 0;
    case 'token':
      return true;
    case 'characters':
      return grammar.ranges.length > 0;
    case 'sequence':
      return grammar.parts.every(has);
    case 'either':
      return grammar.parts.some(has);
    case 'repeat':
      return grammar.min === 0 || has(grammar.part);
    case 'rule':
      return has(grammar.body());
    case 'regular':
      return regularHasText(grammar.expression);
  }
}
