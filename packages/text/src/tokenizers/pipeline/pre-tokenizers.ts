// Makes pre-tokenizers, which split a normalized text into the pieces (words) that the model encodes separately.
import { bytesAsText } from './byte-level.js';
import { DefinitionError, parts, textField, unknownType, type Component } from './definition.js';
import { compilePattern, escapeForRegex, matchesOf, PUNCTUATION, SPACE, WORD, type Matches } from './patterns.js';
import { split, splitBehavior } from './split.js';
import { runsOfScripts } from './unicode-scripts.js';

/** Some find the pieces lazily. `isFirst`: the text is at the beginning of the original text. */
export type PreTokenizer = (text: string, isFirst: boolean) => Iterable<string>;

/** GPT-2's pattern, with Unicode white space. */
const GPT2 = matchesOf(
  new RegExp(
    `'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+|[${SPACE}]+(?![^${SPACE}])|[${SPACE}]+`,
    'gu',
  ),
);

const factories: Record<string, (component: Component) => PreTokenizer> = {
  Sequence: (component) => sequence(parts(component, 'pretokenizers').map(preTokenizer)),
  ByteLevel: ({ add_prefix_space = true, use_regex = true }) =>
    byteLevel(add_prefix_space === true, use_regex === true),
  Metaspace: metaspace,
  Split: (component) => {
    const pattern = compilePattern(component);
    const behavior = splitBehavior(component.behavior);
    return (text) => split(text, pattern, behavior, component.invert === true);
  },
  BertPreTokenizer: () => matches(new RegExp(`[^${SPACE}${PUNCTUATION}]+|[${PUNCTUATION}]`, 'gu')),
  Whitespace: () => matches(new RegExp(`[${WORD}]+|[^${WORD}${SPACE}]+`, 'gu')),
  WhitespaceSplit: () => matches(new RegExp(`[^${SPACE}]+`, 'gu')),
  Digits: ({ individual_digits }) => matches(individual_digits === true ? /\p{N}|\P{N}+/gu : /\p{N}+|\P{N}+/gu),
  Punctuation: ({ behavior = 'Isolated' }) => {
    const pattern = matchesOf(new RegExp(`[${PUNCTUATION}]`, 'gu'));
    const chosen = splitBehavior(behavior);
    return (text) => split(text, pattern, chosen);
  },
  CharDelimiterSplit: (component) => {
    const delimiter = textField(component, 'delimiter');
    return (text) => text.split(delimiter);
  },
  UnicodeScripts: () => runsOfScripts,
  FixedLength: ({ length = 5 }) => matches(new RegExp(`[^]{1,${Number(length)}}`, 'gu')),
};

/** Without a component, a text is a single piece. @throws {DefinitionError} for an unknown type */
export function preTokenizer(component: Component | null | undefined): PreTokenizer {
  if (component === null || component === undefined) return (text) => [text];
  if (!Object.hasOwn(factories, component.type)) throw unknownType('pre-tokenizer', component);
  return factories[component.type](component);
}

function sequence(all: readonly PreTokenizer[]): PreTokenizer {
  const [first, ...rest] = all;
  if (first === undefined) return (text) => [text];
  if (rest.length === 0) return first;
  const others = sequence(rest);
  return function* (text, isFirst) {
    let isStart = isFirst;
    for (const piece of first(text, isFirst)) {
      if (piece !== '') yield* others(piece, isStart);
      isStart = false;
    }
  };
}

function* found(text: string, matches: Matches): Generator<string> {
  for (const [start, end] of matches(text)) yield text.slice(start, end);
}

function matches(pattern: RegExp): PreTokenizer {
  const all = matchesOf(pattern);
  return (text) => found(text, all);
}

function byteLevel(addsPrefixSpace: boolean, usesRegex: boolean): PreTokenizer {
  const prefixed = (text: string) => (addsPrefixSpace && !text.startsWith(' ') ? ` ${text}` : text);
  if (!usesRegex) return (text) => [bytesAsText(prefixed(text))];
  return function* (text) {
    for (const piece of found(prefixed(text), GPT2)) yield bytesAsText(piece);
  };
}

/** Splits as SentencePiece does: spaces become a symbol, another symbol is put before the text, and a piece begins at each symbol. */
function metaspace(component: Component): PreTokenizer {
  const symbol = textField(component, 'replacement', '▁');
  const { add_prefix_space, prepend_scheme = 'always', split: splits = true } = component;
  if (add_prefix_space === false && component.prepend_scheme !== undefined && prepend_scheme !== 'never')
    throw new DefinitionError('add_prefix_space of Metaspace contradicts its prepend_scheme');
  const scheme = add_prefix_space === false ? 'never' : prepend_scheme;
  const escaped = escapeForRegex(symbol);
  const piece = matchesOf(new RegExp(`${escaped}?[^${escaped}]+|${escaped}`, 'gu'));
  return (text, isFirst) => {
    let marked = text.replaceAll(' ', symbol);
    if ((scheme === 'always' || (scheme === 'first' && isFirst)) && !marked.startsWith(symbol))
      marked = symbol + marked;
    return splits === false ? [marked] : found(marked, piece);
  };
}
