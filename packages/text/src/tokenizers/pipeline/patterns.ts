// Compiles the patterns of tokenizer.json, which are written for Oniguruma (the engine of the Rust library `tokenizers`). A
// pattern with the same meaning in JavaScript runs there, which is faster. A search that may take long has a time limit
// (docs/decisions/tokenizers.md). JavaScript's `\s` contains U+FEFF and lacks U+0085, and its `\w` and `\d` are ASCII only, so
// the classes below are used instead.
import { parse, type OnigurumaAst } from 'oniguruma-parser/parser';
import { DefinitionError, placeOf, type Component } from './definition.js';
import { effortOf, isQuick, type Effort } from './effort.js';
import { finderOf, matchesFrom, type Finder, type Span } from './matches.js';
import { discardEngine, OnigurumaPattern, PatternSyntaxError, RetryLimitError } from './oniguruma.js';
import { plainPattern } from './plain-pattern.js';
import { cpuClock, TimeLimitError, withinTime } from './time-limit.js';

/** The characters of Rust's `char::is_whitespace`. */
export const SPACE = '\\p{White_Space}';

/** The content of a character class: ASCII's punctuation marks and symbols, and Unicode's punctuation. */
export const PUNCTUATION = '\\p{P}!-\\/:-@\\[-`{-~';

/** The characters of `\w` in Rust's regular expressions. */
export const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';

/** Escapes characters that are special in JavaScript and in Oniguruma; a hyphen is special only within brackets. */
export const escapeForRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Yields the matches of a pattern in a text, in order; some may be empty. */
export type Matches = (text: string) => Iterable<Span>;

/** Makes a function that yields the matches of a regular expression with the flags g and u. */
export function matchesOf(pattern: RegExp): Matches {
  const find = finderOf(pattern);
  return (text) => matchesFrom(text, find);
}

/** Replaces each match by `content`, also empty matches. */
export function replaced(text: string, matches: Matches, content: string): string {
  if (text === '') return text;
  let result = '';
  let last = 0;
  for (const [start, end] of matches(text)) {
    result += text.slice(last, start) + content;
    last = end;
  }
  return last === 0 && result === '' ? text : result + text.slice(last);
}

/** Thrown for a pattern with invalid syntax, or a search that takes too long. */
export class PatternError extends DefinitionError {
  /** Makes the error with its message. `place`: the key of the pattern in tokenizer.json. */
  constructor(place: string, problem: string, pattern: string) {
    super(`${place} ${problem}: ${pattern}`);
  }
}

/** Returns the pattern of a Split or Replace component: `{"String": …}` or `{"Regex": …}`. */
export function compilePattern(component: Component): Matches {
  const { type, pattern } = component;
  const given = (typeof pattern === 'object' && pattern !== null ? pattern : {}) as {
    String?: unknown;
    Regex?: unknown;
  };
  if (typeof given.String === 'string') return matchesOf(new RegExp(escapeForRegex(given.String), 'gu'));
  if (typeof given.Regex !== 'string') throw new DefinitionError(`${type} has no pattern`);
  return compileRegex(given.Regex, `${placeOf(component)}.pattern.Regex`);
}

const UNKNOWN_EFFORT: Effort = { ways: 1, repetitions: Infinity };

/** Compiles an Oniguruma pattern. For error messages, `place` is its key in its file, and `shown` the pattern as in the file. */
export function compileRegex(source: string, place: string, shown = source): Matches {
  const parsed = parsedOrNull(source);
  const effort = parsed === null ? UNKNOWN_EFFORT : effortOf(parsed);
  const failed = (error: unknown, text = '') => withPlace(error, shown, place, text.length);
  const plain = parsed && plainFinder(parsed);
  const find = plain ?? onigurumaFinder(source, failed);
  return (text) => {
    const failedOn = (error: unknown) => failed(error, text);
    if (!isQuick(effort, text.length)) return limitedMatches(text, find, failedOn);
    const all = matchesFrom(text, find);
    return plain === null ? named(all, failedOn) : all;
  };
}

/** `failed` converts an error of the search to the error to throw. */
function* named(matches: Iterable<Span>, failed: (error: unknown) => unknown): Generator<Span> {
  try {
    yield* matches;
  } catch (error) {
    throw failed(error);
  }
}

/** Parses a pattern; null if the parser refuses it, which includes a few valid patterns. */
function parsedOrNull(source: string): OnigurumaAst | null {
  try {
    return parse(source, { normalizeUnknownPropertyNames: true, skipPropertyNameValidation: true });
  } catch {
    return null;
  }
}

function plainFinder(parsed: OnigurumaAst): Finder | null {
  const plain = plainPattern(parsed);
  if (plain === null) return null;
  try {
    const find = finderOf(new RegExp(plain, 'gu'));
    find('', 0); // V8 compiles at the first search
    return find;
  } catch {
    return null;
  }
}

function onigurumaFinder(source: string, failed: (error: unknown) => unknown): Finder {
  try {
    return withinTime(() => new OnigurumaPattern(source)).find;
  } catch (error) {
    throw failed(error);
  }
}

/** The number of matches that are searched for before the time is checked; it takes about a millisecond. */
const BATCH = 4_096;

/** A constant, and an additional time for each code unit of the text. */
const [TOTAL_MS, UNIT_MS] = [2_000, 0.01];

function* limitedMatches(text: string, find: Finder, failed: (error: unknown) => unknown): Generator<Span> {
  let left = TOTAL_MS + text.length * UNIT_MS;
  for (let [spans, lastEnd] = [[] as Span[], -1]; ; lastEnd = spans[BATCH - 1][1]) {
    try {
      const found = withinTime(() => batch(text, find, lastEnd));
      left -= found.took;
      if (left < 0) throw new TimeLimitError('interrupted');
      ({ spans } = found);
    } catch (error) {
      throw failed(error);
    }
    for (const span of spans) yield span;
    if (spans.length < BATCH) return;
  }
}

/**
 * Measures the wall time, or the CPU time if the process was hardly scheduled. `lastEnd`: of the previous match; −1 if there is
 * none.
 */
function batch(text: string, find: Finder, lastEnd: number): { spans: Span[]; took: number } {
  const [start, used] = [performance.now(), cpuClock()];
  const spans: Span[] = [];
  for (const span of matchesFrom(text, find, Math.max(lastEnd, 0), lastEnd)) if (spans.push(span) === BATCH) break;
  return { spans, took: Math.min(performance.now() - start, used()) };
}

function withPlace(error: unknown, source: string, place: string, length: number): unknown {
  if (error instanceof PatternSyntaxError) return new PatternError(place, `cannot be read (${error.message})`, source);
  if (error instanceof TimeLimitError) discardEngine();
  if (error instanceof TimeLimitError || error instanceof RetryLimitError)
    return new PatternError(place, `takes too long on a text of ${length} characters and was stopped`, source);
  if (!(error instanceof Error && ['RangeError', 'RuntimeError'].includes(error.name))) return error;
  discardEngine();
  return new PatternError(place, `fails on a text of ${length} characters (${error.message})`, source);
}
