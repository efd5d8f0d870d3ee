// Defines regular expressions over code points with intersection and complement, and computes their derivatives.
// Source: Owens, Reppy and Turon 2009, "Regular-expression derivatives re-examined", sections 3 and 4: an expression is a state
// of an automaton, and its derivative by a code point is the next state. Differs from it: classes of code points are computed
// together with the derivatives, and repetitions are counted.
import { ALL_CODE_POINTS, intersectionOf, unionOf, type CodePointRanges } from './code-points.js';
import { spend } from './effort.js';

/** A set of texts. Expressions of the same set may be different objects; the constructors simplify only some of them. */
export type Regular =
  | { readonly kind: 'class'; readonly ranges: CodePointRanges }
  | { readonly kind: 'concat'; readonly parts: readonly Regular[] }
  | { readonly kind: 'or'; readonly parts: readonly Regular[] }
  | { readonly kind: 'and'; readonly parts: readonly Regular[] }
  | { readonly kind: 'not'; readonly part: Regular }
  | { readonly kind: 'repeat'; readonly part: Regular; readonly min: number; readonly max: number }
  | { readonly kind: 'multiple'; readonly of: number; readonly places: number };

export const oneOf = (ranges: CodePointRanges): Regular => ({ kind: 'class', ranges: unionOf(ranges) });
export const oneAfterTheOther = (...parts: readonly Regular[]): Regular => ({ kind: 'concat', parts });
export const anyOf = (...parts: readonly Regular[]): Regular => ({ kind: 'or', parts });
export const both = (...parts: readonly Regular[]): Regular => ({ kind: 'and', parts });
export const not = (part: Regular): Regular => ({ kind: 'not', part });
export const times = (part: Regular, min: number, max = Infinity): Regular => ({ kind: 'repeat', part, min, max });

/** Decimal numbers without a sign that are multiples of `of` / 10^`places`, with or without a decimal point. */
export const multipleOf = (of: number, places = 0): Regular => ({ kind: 'multiple', of, places });

export const emptyText: Regular = { kind: 'concat', parts: [] };
export const noText: Regular = { kind: 'or', parts: [] };
export const anyCharacter: Regular = { kind: 'class', ranges: ALL_CODE_POINTS };
export const anyText: Regular = times(anyCharacter, 0);

/** Matches exactly this text. */
export const literal = (text: string): Regular =>
  oneAfterTheOther(...Array.from(text, (character) => oneOf([[character.codePointAt(0)!, character.codePointAt(0)!]])));

/** Matches any one of these texts. Texts with a common prefix share one expression for it. */
export function anyLiteral(texts: readonly string[]): Regular {
  spend(texts.reduce((sum, { length }) => sum + length, texts.length));
  const points = [...new Set(texts)].map((text) => Array.from(text, (character) => character.codePointAt(0)!));
  return anyOfPoints(points, 0);
}

/** Matches any one of these texts, after their common beginning up to code point `from`. */
function anyOfPoints(texts: readonly (readonly number[])[], from: number): Regular {
  if (texts.length === 1) return oneAfterTheOther(...texts[0].slice(from).map((point) => oneOf([[point, point]])));
  const groups = new Map<number, (readonly number[])[]>();
  for (const text of texts) {
    if (text.length === from) continue;
    const group = groups.get(text[from]);
    if (group) group.push(text);
    else groups.set(text[from], [text]);
  }
  const isText = texts.some(({ length }) => length === from);
  const longer = [...groups].map(([point, group]) =>
    oneAfterTheOther(oneOf([[point, point]]), anyOfPoints(group, from + 1)),
  );
  return anyOf(...(isText ? [emptyText] : []), ...longer);
}

/** A state of the automaton: an expression in simplified form, represented by one object. */
export interface RegularState {
  readonly id: number;
  readonly isNullable: boolean;
  readonly form: Form;
}

type Form =
  | { kind: 'empty' | 'nothing' }
  | { kind: 'class'; ranges: CodePointRanges }
  | { kind: 'concat'; first: RegularState; rest: RegularState }
  | { kind: 'or' | 'and'; parts: readonly RegularState[] }
  | { kind: 'not'; part: RegularState }
  | { kind: 'repeat'; part: RegularState; min: number; max: number }
  | { kind: 'multiple'; of: number; places: number; remainder: number; digits: number | null };

/** A class of code points with the same derivative, and this derivative. The classes of a state cover all code points. */
type Step = readonly [ranges: CodePointRanges, next: RegularState];

/** The number of ranges of a class that count as one step of work (see effort.ts). */
const RANGES_PER_STEP = 8;

/** Makes the states of the automata of several expressions; equal states are one object. */
export class RegularStates {
  readonly #states = new Map<string, RegularState>();
  readonly #steps = new Map<RegularState, readonly Step[]>();
  /** Caches the transitions of each state, without those to the state that matches nothing. */
  readonly #possible = new Map<RegularState, readonly Step[]>();
  readonly #nothing = this.#state('nothing', { kind: 'nothing' }, false);
  readonly #empty = this.#state('empty', { kind: 'empty' }, true);
  readonly #everything = this.#not(this.#nothing);
  readonly #anyCharacter = this.#class(ALL_CODE_POINTS);

  get size(): number {
    return this.#states.size;
  }

  isEmptyText(state: RegularState): boolean {
    return state === this.#empty;
  }

  of(expression: Regular): RegularState {
    switch (expression.kind) {
      case 'class':
        return this.#class(expression.ranges);
      case 'concat':
        return expression.parts.reduceRight<RegularState>(
          (rest, part) => this.#concat(this.of(part), rest),
          this.#empty,
        );
      case 'or':
        return this.#or(expression.parts.map((part) => this.of(part)));
      case 'and':
        return this.#and(expression.parts.map((part) => this.of(part)));
      case 'not':
        return this.#not(this.of(expression.part));
      case 'repeat':
        return this.repeat(this.of(expression.part), expression.min, expression.max);
      case 'multiple':
        return this.#multiple(expression.of, expression.places, 0, null, false);
    }
  }

  /** Lists the next states that may match a text, by disjoint classes of code points. */
  steps(state: RegularState): readonly Step[] {
    let steps = this.#possible.get(state);
    if (!steps) this.#possible.set(state, (steps = this.#allSteps(state).filter(([, next]) => next !== this.#nothing)));
    return steps;
  }

  #allSteps(state: RegularState): readonly Step[] {
    let steps = this.#steps.get(state);
    if (!steps) this.#steps.set(state, (steps = this.#derived(state.form)));
    return steps;
  }

  #derived(form: Form): readonly Step[] {
    const map = (state: RegularState, change: (next: RegularState) => RegularState) =>
      merged(this.#allSteps(state).map(([ranges, next]) => [ranges, change(next)]));
    switch (form.kind) {
      case 'empty':
      case 'nothing':
        return [[ALL_CODE_POINTS, this.#nothing]];
      case 'class':
        return merged([
          [form.ranges, this.#empty],
          [differenceOf(ALL_CODE_POINTS, form.ranges), this.#nothing],
        ]);
      case 'concat': {
        const { first, rest } = form;
        const byFirst = map(first, (next) => this.#concat(next, rest));
        if (!first.isNullable) return byFirst;
        return product([byFirst, this.#allSteps(rest)], (nexts) => this.#or(nexts));
      }
      case 'or':
      case 'and':
        return product(
          form.parts.map((part) => this.#allSteps(part)),
          (nexts) => (form.kind === 'or' ? this.#or(nexts) : this.#and(nexts)),
        );
      case 'not':
        return map(form.part, (next) => this.#not(next));
      case 'repeat': {
        const rest = this.repeat(form.part, Math.max(0, form.min - 1), form.max - 1);
        return map(form.part, (next) => this.#concat(next, rest));
      }
      case 'multiple':
        return this.#multipleSteps(form);
    }
  }

  /** Transitions by the digits of a number. Beyond the allowed decimal places, digits must be zeros. */
  #multipleSteps({ of, places, remainder, digits }: Form & { kind: 'multiple' }): readonly Step[] {
    const isFull = digits === places;
    const steps = Array.from({ length: isFull ? 1 : 10 }, (_, digit): Step => {
      const next = isFull ? remainder : (10 * remainder + digit) % of;
      const behind = digits === null ? null : Math.min(digits + 1, places);
      return [[[0x30 + digit, 0x30 + digit]], this.#multiple(of, places, next, behind, true)];
    });
    if (digits === null) steps.push([[[0x2e, 0x2e]], this.#multiple(of, places, remainder, 0, false)]);
    const read = unionOf(steps.flatMap(([ranges]) => ranges));
    return merged([...steps, [differenceOf(ALL_CODE_POINTS, read), this.#nothing]]);
  }

  /**
   * Makes a state of `multipleOf` inside a number.
   *
   * @param digits the number of digits after the point so far; null before it
   * @param mayEnd false where a digit must follow
   */
  #multiple(of: number, places: number, remainder: number, digits: number | null, mayEnd: boolean): RegularState {
    let whole = remainder;
    for (let place = digits ?? 0; place < places; place++) whole = (10 * whole) % of;
    const isMultiple = whole === 0;
    const form = { kind: 'multiple', of, places, remainder, digits } as const;
    return this.#state(`m${of}/${places}%${remainder}:${digits}${mayEnd}`, form, mayEnd && isMultiple);
  }

  #state(key: string, form: Form, isNullable: boolean): RegularState {
    spend(1);
    let state = this.#states.get(key);
    if (!state) this.#states.set(key, (state = { id: this.#states.size, form, isNullable }));
    return state;
  }

  #class(ranges: CodePointRanges): RegularState {
    spend(ranges.length);
    return ranges.length === 0 ? this.#nothing : this.#state(`c${ranges.join()}`, { kind: 'class', ranges }, false);
  }

  #concat(first: RegularState, rest: RegularState): RegularState {
    if (first === this.#nothing || rest === this.#nothing) return this.#nothing;
    if (first === this.#empty) return rest;
    if (rest === this.#empty) return first;
    const { form } = first;
    if (form.kind === 'concat') return this.#concat(form.first, this.#concat(form.rest, rest));
    return this.#state(`${first.id}.${rest.id}`, { kind: 'concat', first, rest }, first.isNullable && rest.isNullable);
  }

  #or(given: readonly RegularState[]): RegularState {
    const parts = this.#flattened('or', given).filter((part) => part !== this.#nothing);
    if (parts.includes(this.#everything)) return this.#everything;
    if (parts.length < 2) return parts[0] ?? this.#nothing;
    const isNullable = parts.some((part) => part.isNullable);
    return this.#state(`|${parts.map(({ id }) => id).join()}`, { kind: 'or', parts }, isNullable);
  }

  #and(given: readonly RegularState[]): RegularState {
    const parts = this.#flattened('and', given).filter((part) => part !== this.#everything);
    if (parts.includes(this.#nothing)) return this.#nothing;
    if (parts.length < 2) return parts[0] ?? this.#everything;
    const isNullable = parts.every((part) => part.isNullable);
    return this.#state(`&${parts.map(({ id }) => id).join()}`, { kind: 'and', parts }, isNullable);
  }

  #flattened(kind: 'or' | 'and', parts: readonly RegularState[]): RegularState[] {
    spend(parts.length);
    const flat = parts.flatMap((part) =>
      part.form.kind === kind ? (part.form as { parts: readonly RegularState[] }).parts : [part],
    );
    spend(flat.length);
    return [...new Set(flat)].sort((a, b) => a.id - b.id);
  }

  #not(part: RegularState): RegularState {
    if (part.form.kind === 'not') return part.form.part;
    return this.#state(`!${part.id}`, { kind: 'not', part }, !part.isNullable);
  }

  repeat(part: RegularState, least: number, max: number): RegularState {
    const min = part.isNullable ? 0 : least;
    if (max === 0 || part === this.#empty) return this.#empty;
    if (part === this.#nothing) return min === 0 ? this.#empty : this.#nothing;
    if (min === 1 && max === 1) return part;
    if (min === 0 && max === Infinity && part === this.#anyCharacter) return this.#everything;
    return this.#state(`${part.id}{${min},${max}}`, { kind: 'repeat', part, min, max }, min === 0);
  }
}

const differenceOf = (a: CodePointRanges, b: CodePointRanges): CodePointRanges => {
  const difference: [number, number][] = [];
  for (const [from, to] of a) {
    let next = from;
    for (const [start, end] of b) {
      if (end < next || start > to) continue;
      if (start > next) difference.push([next, start - 1]);
      next = end + 1;
    }
    if (next <= to) difference.push([next, to]);
  }
  return difference;
};

function merged(steps: readonly Step[]): readonly Step[] {
  const classes = new Map<RegularState, CodePointRanges[]>();
  for (const [ranges, next] of steps) {
    if (ranges.length === 0) continue;
    spend(1 + Math.ceil(ranges.length / RANGES_PER_STEP));
    const known = classes.get(next);
    if (known) known.push(ranges);
    else classes.set(next, [ranges]);
  }
  return [...classes].map(([next, parts]) => [parts.length === 1 ? parts[0] : unionOf(parts.flat()), next] as const);
}

/** A linked list of the next states of several sub-expressions, the last one first. */
type Nexts = { readonly next: RegularState; readonly before: Nexts } | null;

/** Divides the code points into classes in which every sub-expression has a single next state. */
function product(
  parts: readonly (readonly Step[])[],
  combine: (nexts: readonly RegularState[]) => RegularState,
): readonly Step[] {
  let classes: { ranges: CodePointRanges; nexts: Nexts }[] = [{ ranges: ALL_CODE_POINTS, nexts: null }];
  for (const steps of parts)
    classes = classes.flatMap(({ ranges, nexts }) =>
      steps.flatMap(([own, next]) => {
        spend(1 + Math.ceil((ranges.length + own.length) / RANGES_PER_STEP));
        const common = ranges === ALL_CODE_POINTS ? own : intersectionOf(ranges, own);
        return common.length === 0 ? [] : [{ ranges: common, nexts: { next, before: nexts } }];
      }),
    );
  return merged(classes.map(({ ranges, nexts }) => [ranges, combine(listOf(nexts))] as const));
}

function listOf(nexts: Nexts): RegularState[] {
  const list: RegularState[] = [];
  for (let each = nexts; each; each = each.before) list.push(each.next);
  spend(list.length);
  return list;
}
