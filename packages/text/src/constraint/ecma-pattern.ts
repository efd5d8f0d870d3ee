// Converts ECMAScript patterns, as of JSON Schema's `pattern`, to regular expressions of regular.ts, which match whole texts.
import { RegExpParser, type AST } from '@eslint-community/regexpp';
import { ALL_CODE_POINTS, complementOf, intersectionOf, unionOf, type CodePointRanges } from './code-points.js';
import { spend } from './effort.js';
import { regular, type Grammar } from './grammar.js';
import {
  anyCharacter,
  anyOf,
  anyText,
  both,
  emptyText,
  not,
  noText,
  oneAfterTheOther,
  oneOf,
  times,
  type Regular,
} from './regular.js';

/** Thrown for a pattern that is malformed, or has a construct that a finite automaton cannot express. */
export class UnsupportedPatternError extends Error {
  override readonly name = 'UnsupportedPatternError';

  constructor(
    readonly pattern: string,
    problem: string,
  ) {
    super(`the pattern ${JSON.stringify(pattern)} ${problem}`);
  }
}

/**
 * The texts that a pattern matches as a whole. Not supported are backreferences, look-behind, word boundaries, and `^` after an
 * element that may be empty.
 *
 * @param source with or without `^` and `$`, e.g. `[a-z]+|\\d{3}`
 * @throws {UnsupportedPatternError}
 */
export const pattern = (source: string): Grammar => regular(wholeMatch(source));

/** Converts a pattern that must match the whole text. @throws {UnsupportedPatternError} */
export const wholeMatch = (source: string): Regular => new Conversion(source).alternatives(emptyText, 'start');

/** The pattern may match anywhere in the text, as for JSON Schema's keyword `pattern`. @throws {UnsupportedPatternError} */
export function matchAnywhere(source: string): Regular {
  const conversion = new Conversion(source);
  const atStart = conversion.alternatives(anyText, 'start');
  return anyOf(atStart, oneAfterTheOther(anyCharacter, anyText, conversion.alternatives(anyText, 'later')));
}

/** The number of steps of work (see effort.ts) that are counted for parsing and converting one character of a pattern. */
const STEPS_PER_CHARACTER = 16;

/** Whether an element of the pattern is at the start of the text, where `^` matches. */
type Before = 'start' | 'later' | 'unknown';

class Conversion {
  readonly #pattern: AST.Pattern;

  constructor(private readonly source: string) {
    spend(STEPS_PER_CHARACTER * source.length);
    this.#pattern = this.#parsed();
  }

  /** `rest`: the expression for the text after the match. */
  alternatives(rest: Regular, before: Before): Regular {
    return this.#anyOf(this.#pattern.alternatives, rest, before);
  }

  /** Parses the pattern with the flag `u`, as JSON Schema recommends; without it if the pattern is only valid without it. */
  #parsed(): AST.Pattern {
    const parser = new RegExpParser();
    const parse = (unicode: boolean) => parser.parsePattern(this.source, 0, this.source.length, { unicode });
    try {
      return parse(true);
    } catch {
      try {
        return parse(false);
      } catch (error) {
        throw this.#unsupported(`is not well formed: ${(error as Error).message}`);
      }
    }
  }

  #anyOf(alternatives: readonly AST.Alternative[], rest: Regular, before: Before): Regular {
    return anyOf(...alternatives.map(({ elements }) => this.#inTurn(elements, rest, before)));
  }

  #inTurn(elements: readonly AST.Element[], rest: Regular, before: Before): Regular {
    const befores: Before[] = [];
    let now = before;
    for (const element of elements) {
      befores.push(now);
      const { min, max } = lengths(element);
      if (min > 0) now = 'later';
      else if (max > 0 && now === 'start') now = 'unknown';
    }
    return elements.reduceRight((after, element, i) => this.#element(element, after, befores[i]), rest);
  }

  #element(element: AST.Element, rest: Regular, before: Before): Regular {
    switch (element.type) {
      case 'Character':
        return oneAfterTheOther(oneOf([[element.value, element.value]]), rest);
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return oneAfterTheOther(oneOf(this.#ranges(element)), rest);
      case 'Group':
      case 'CapturingGroup':
        return asserts(element)
          ? this.#anyOf(element.alternatives, rest, before)
          : oneAfterTheOther(this.#anyOf(element.alternatives, emptyText, before), rest);
      case 'Quantifier':
        return this.#repeated(element, rest, before);
      case 'Assertion':
        return this.#assertion(element, rest, before);
      case 'Backreference':
        throw this.#unsupported('has a backreference, which is not supported');
    }
  }

  #repeated({ element, min, max, raw }: AST.Quantifier, rest: Regular, before: Before): Regular {
    if (!asserts(element))
      return oneAfterTheOther(times(this.#element(element as AST.Element, emptyText, before), min, max), rest);
    if (max > 1) throw this.#unsupported(`repeats an assertion, ${raw}, which is not supported`);
    const once = max === 0 ? noText : this.#element(element as AST.Element, rest, before);
    return min === 0 ? anyOf(once, rest) : once;
  }

  #assertion(assertion: AST.Assertion, rest: Regular, before: Before): Regular {
    switch (assertion.kind) {
      case 'start':
        if (before === 'unknown')
          throw this.#unsupported('has ^ behind something that may be empty, which is not supported');
        return before === 'start' ? rest : noText;
      case 'end':
        return isNullable(rest) ? emptyText : noText;
      case 'lookahead': {
        const ahead = this.#anyOf(assertion.alternatives, anyText, before);
        return both(assertion.negate ? not(ahead) : ahead, rest);
      }
      default:
        throw this.#unsupported(`has ${assertion.raw}, which is not supported`);
    }
  }

  #ranges(element: AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass): CodePointRanges {
    switch (element.type) {
      case 'CharacterSet':
        return this.#setRanges(element);
      case 'CharacterClass': {
        const parts = element.elements.map((part) => this.#partRanges(part));
        const union = intersectionOf(unionOf(parts.flat()), ALL_CODE_POINTS);
        return element.negate ? complementOf(union) : union;
      }
      default:
        throw this.#unsupported(`has ${element.raw}, which is not supported`);
    }
  }

  #partRanges(part: AST.CharacterClassElement): CodePointRanges {
    switch (part.type) {
      case 'Character':
        return [[part.value, part.value]];
      case 'CharacterClassRange':
        return [[part.min.value, part.max.value]];
      case 'CharacterSet':
        return this.#setRanges(part);
      default:
        throw this.#unsupported(`has ${part.raw}, which is not supported`);
    }
  }

  #setRanges(set: AST.CharacterSet): CodePointRanges {
    if (set.kind === 'any') return LINE;
    if (set.kind === 'property') return matching(set.raw);
    return matching(set.raw);
  }

  #unsupported(problem: string): UnsupportedPatternError {
    return new UnsupportedPatternError(this.source, problem);
  }
}

/** The characters that `.` matches: all except line ends. */
const LINE = complementOf([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]);

/** Listed, since testing all code points would add half a second to every program that imports the package. */
const known = new Map<string, CodePointRanges>([
  ['\\d', [[0x30, 0x39]]],
  [
    '\\w',
    [
      [0x30, 0x39],
      [0x41, 0x5a],
      [0x5f, 0x5f],
      [0x61, 0x7a],
    ],
  ],
]);

/** All code points in order, as texts; null until a class first needs them. */
let everything: string[] | null = null;

function textOfAll([from, to]: readonly [number, number]): string {
  let text = '';
  for (let point = from; point <= to; point++) text += String.fromCodePoint(point);
  return text;
}

/** The number of steps of work (see effort.ts) that are counted for testing all code points once. */
const STEPS_PER_CLASS = 200_000;

/** A class that is not listed is tested on all code points. */
function matching(escape: string): CodePointRanges {
  let ranges = known.get(escape);
  if (ranges) return ranges;
  spend(STEPS_PER_CLASS);
  const points: [number, number][] = [];
  for (const all of (everything ??= ALL_CODE_POINTS.map(textOfAll)))
    for (const [found] of all.matchAll(new RegExp(`${escape}+`, 'gu')))
      points.push([found.codePointAt(0)!, [...found.slice(-2)].at(-1)!.codePointAt(0)!]);
  known.set(escape, (ranges = points));
  return ranges;
}

/** Returns whether an element of a pattern contains an assertion, such as `^` or a look-ahead. */
function asserts(element: AST.Element | AST.QuantifiableElement): boolean {
  switch (element.type) {
    case 'Assertion':
      return true;
    case 'Quantifier':
      return asserts(element.element);
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.some(({ elements }) => elements.some(asserts));
    default:
      return false;
  }
}

/** Computes bounds of the number of characters that an element matches. Only whether they are 0 is exact. */
function lengths(element: AST.Element | AST.QuantifiableElement): { min: number; max: number } {
  switch (element.type) {
    case 'Assertion':
    case 'Backreference':
      return { min: 0, max: 0 };
    case 'Quantifier': {
      const { min, max } = lengths(element.element);
      return { min: min * element.min, max: max === 0 ? 0 : max * element.max };
    }
    case 'Group':
    case 'CapturingGroup': {
      const all = element.alternatives.map(({ elements }) => {
        const each = elements.map(lengths);
        return { min: sum(each.map(({ min }) => min)), max: sum(each.map(({ max }) => max)) };
      });
      return all.reduce((either, { min, max }) => ({ min: Math.min(either.min, min), max: Math.max(either.max, max) }));
    }
    default:
      return { min: 1, max: 1 };
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function isNullable(expression: Regular): boolean {
  spend(1);
  switch (expression.kind) {
    case 'class':
    case 'multiple':
      return false;
    case 'concat':
    case 'and':
      return expression.parts.every(isNullable);
    case 'or':
      return expression.parts.some(isNullable);
    case 'not':
      return !isNullable(expression.part);
    case 'repeat':
      return expression.min === 0 || isNullable(expression.part);
  }
}
