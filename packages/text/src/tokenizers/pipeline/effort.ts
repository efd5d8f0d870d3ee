// Estimates from the form of a regular expression of tokenizer.json how long a backtracking search may take at most.
import type { AlternativeElementNode, AlternativeNode, OnigurumaAst, QuantifierNode } from 'oniguruma-parser/parser';

/** An attempt to match at one position of a text with n code units takes at most about ways · nʳᵉᵖᵉᵗⁱᵗⁱᵒⁿˢ steps. */
export interface Effort {
  /** The number of combinations of the pattern's alternatives. */
  ways: number;
  /** The number of repetitions that backtracking may shorten step by step; Infinity if exponential time cannot be excluded. */
  repetitions: number;
}

/** The number of steps that a pattern search takes in less than a second. */
const QUICK_STEPS = 1e8;

/** The length of a text up to which any pattern is quick, even with four ways at each of 12 characters. */
const QUICK_LENGTH = 12;

/** Returns whether a search for all matches in a text of `length` code units is certainly quick. */
export const isQuick = ({ ways, repetitions }: Effort, length: number): boolean =>
  ways * (repetitions === Infinity && length <= QUICK_LENGTH ? 1 : length ** (repetitions + 1)) <= QUICK_STEPS;

export const effortOf = (pattern: OnigurumaAst): Effort => ofAlternatives(pattern.body, false);

const ONE: Effort = { ways: 1, repetitions: 0 };
const UNBOUNDED: Effort = { ways: 1, repetitions: Infinity };

/** `mayFail`: the pattern after the group can fail, so that other ways to match the group are tried. */
const ofAlternatives = (alternatives: readonly AlternativeNode[], mayFail: boolean): Effort =>
  alternatives
    .map(({ body }) => ofSequence(body, mayFail))
    .reduce((sum, each) => ({
      ways: sum.ways + each.ways,
      repetitions: Math.max(sum.repetitions, each.repetitions),
    }));

function ofSequence(elements: readonly AlternativeElementNode[], mayFailAfter: boolean): Effort {
  let { ways, repetitions } = ONE;
  let mayFail = mayFailAfter;
  for (const element of [...elements].reverse()) {
    const effort = ofElement(element, mayFail);
    ways = mayFail ? ways * effort.ways : ways + effort.ways - 1;
    repetitions += effort.repetitions;
    mayFail ||= canFail(element);
  }
  return { ways, repetitions };
}

function ofElement(element: AlternativeElementNode, mayFail: boolean): Effort {
  switch (element.type) {
    case 'Character':
    case 'CharacterClass':
    case 'CharacterSet':
    case 'Assertion':
    case 'Directive':
      return ONE;
    case 'Group':
    case 'CapturingGroup':
      return ofAlternatives(element.body, mayFail);
    case 'LookaroundAssertion':
      return ofAlternatives(element.body, false);
    case 'Quantifier':
      return ofQuantifier(simplified(element), mayFail);
    default:
      return UNBOUNDED;
  }
}

/** Estimates the effort of a quantifier. If more than one repetition is allowed, there may be as many as characters. */
function ofQuantifier({ body, kind, min, max }: QuantifierNode, mayFail: boolean): Effort {
  if (maximum(max) <= 1) {
    const { ways, repetitions } = ofElement(body, mayFail);
    return { ways: ways + 1, repetitions };
  }
  if (!hasOneLength(body)) {
    // If nothing after the loop fails, a failing repetition ends it, and earlier repetitions are not tried again.
    if (mayFail || kind === 'lazy' || min > 1 || mayBeEmpty(body)) return UNBOUNDED;
    const { ways, repetitions } = ofElement(body, false);
    return { ways: ways + 1, repetitions: repetitions + 1 };
  }
  return { ways: 1, repetitions: kind !== 'possessive' && (mayFail || kind === 'lazy') ? 1 : 0 };
}

/** The parser gives null for no limit, although its type declares a number. */
export const maximum = (max: number | null): number => max ?? Infinity;

/** Simplifies `X{1,n}+`, in Oniguruma a quantifier of a quantifier, to `X+`. */
export function simplified(quantifier: QuantifierNode): QuantifierNode {
  const { body, kind, min, max } = quantifier;
  const isOfSome = body.type === 'Quantifier' && body.min === 1 && body.kind === 'greedy';
  return isOfSome && kind === 'greedy' && min <= 1 && maximum(max) === Infinity
    ? { ...quantifier, body: body.body }
    : quantifier;
}

/** Returns whether all matches of a pattern's element have the same length, and there is only one way to match each. */
function hasOneLength(element: AlternativeElementNode): boolean {
  switch (element.type) {
    case 'Character':
    case 'CharacterClass':
      return true;
    case 'CharacterSet':
      return element.variableLength !== true;
    case 'Group':
    case 'CapturingGroup':
      return element.body.length === 1 && element.body[0].body.length > 0 && element.body[0].body.every(hasOneLength);
    case 'Quantifier':
      return element.min === element.max && element.min > 0 && hasOneLength(element.body);
    default:
      return false;
  }
}

/** Returns whether an element may match the empty text. */
export function mayBeEmpty(element: AlternativeElementNode): boolean {
  switch (element.type) {
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      return false;
    case 'Group':
    case 'CapturingGroup':
      return element.body.some(({ body }) => body.every(mayBeEmpty));
    case 'Quantifier':
      return element.min === 0 || mayBeEmpty(element.body);
    default:
      return true;
  }
}

/** Returns whether an element may fail to match. It says yes in doubt, since most elements may. */
const canFail = (element: AlternativeElementNode): boolean =>
  !(element.type === 'Quantifier' && element.min === 0) && element.type !== 'Directive';
