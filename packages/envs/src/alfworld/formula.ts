// Parses goal conditions of PDDL (ADL), which are facts joined by and, or, not, imply, = and quantified variables, and evaluates
// them in a state. Source: Pednault 1989 (ADL); the predicates are those of ALFWorld's domain.
import type { SExpression } from './s-expression.js';

export interface Variable {
  name: string;
  /** The type in the PDDL domain: agent, location, receptacle, object, rtype, otype. */
  type: string;
}

export type Formula =
  | { kind: 'and' | 'or'; parts: readonly Formula[] }
  | { kind: 'not'; part: Formula }
  | { kind: 'exists' | 'forall'; variables: readonly Variable[]; part: Formula }
  | { kind: 'equal'; left: string; right: string }
  | { kind: 'fact'; predicate: string; terms: readonly string[] };

/** The facts of a state. Objects are strings; kinds are the lower-case names of the domain's types (`apple` for AppleType). */
export interface Facts {
  /** Returns the objects that a variable of this type can stand for. With `kind`, only receptacles or objects of that kind. */
  candidates(type: string, kind?: string): readonly string[];
  holds(predicate: string, terms: readonly string[]): boolean;
}

class FormulaError extends Error {
  override readonly name = 'FormulaError';
}

/** Parses a goal condition. Names are converted to lower case. */
export function parseFormula(expression: SExpression): Formula {
  if (typeof expression === 'string' || expression.length === 0)
    throw new FormulaError(`expected a condition in parentheses, found '${String(expression)}'`);
  const [head, ...rest] = expression;
  if (typeof head !== 'string') throw new FormulaError('a condition must begin with a word');
  switch (head) {
    case 'and':
    case 'or':
      return { kind: head, parts: rest.map(parseFormula) };
    case 'not':
      return { kind: 'not', part: parseFormula(only(rest, head)) };
    case 'imply':
      return { kind: 'or', parts: [{ kind: 'not', part: parseFormula(rest[0]) }, parseFormula(rest[1])] };
    case 'exists':
    case 'forall':
      return { kind: head, variables: parseVariables(rest[0]), part: parseFormula(rest[1]) };
    case '=':
      return { kind: 'equal', left: term(rest[0]), right: term(rest[1]) };
    default:
      return { kind: 'fact', predicate: head, terms: rest.map(term) };
  }
}

/** Evaluates a goal condition. `bound` has the values of its free variables. */
export function isTrue(formula: Formula, facts: Facts, bound: ReadonlyMap<string, string> = new Map()): boolean {
  switch (formula.kind) {
    case 'and':
      return formula.parts.every((part) => isTrue(part, facts, bound));
    case 'or':
      return formula.parts.some((part) => isTrue(part, facts, bound));
    case 'not':
      return !isTrue(formula.part, facts, bound);
    case 'equal':
      return valueOf(formula.left, bound) === valueOf(formula.right, bound);
    case 'fact':
      return facts.holds(
        formula.predicate,
        formula.terms.map((name) => valueOf(name, bound)),
      );
    case 'exists':
      return quantified(formula.variables, formula.part, facts, bound, 'some');
    case 'forall':
      return quantified(formula.variables, formula.part, facts, bound, 'every');
  }
}

function quantified(
  [variable, ...others]: readonly Variable[],
  part: Formula,
  facts: Facts,
  bound: ReadonlyMap<string, string>,
  rule: 'some' | 'every',
): boolean {
  if (variable === undefined) return isTrue(part, facts, bound);
  // For `exists`, only objects of the required kind are tried, since no other value can make the condition true.
  const kind = rule === 'some' ? kindOf(variable.name, part) : undefined;
  return facts
    .candidates(variable.type, kind)
    [rule]((value) => quantified(others, part, facts, new Map(bound).set(variable.name, value), rule));
}

/** Returns the kind of thing (such as `apple`) that a condition requires of a variable; undefined if it requires none. */
function kindOf(variable: string, formula: Formula): string | undefined {
  if (formula.kind === 'exists') return kindOf(variable, formula.part);
  if (formula.kind === 'and')
    return formula.parts.map((part) => kindOf(variable, part)).find((kind) => kind !== undefined);
  if (formula.kind !== 'fact' || formula.terms[0] !== variable) return undefined;
  const isKind = formula.predicate === 'objecttype' || formula.predicate === 'receptacletype';
  return isKind && !formula.terms[1].startsWith('?') ? kindName(formula.terms[1]) : undefined;
}

/** Converts a type's name to a kind: `AppleType` → `apple`. */
export const kindName = (type: string): string => type.toLowerCase().replace(/type$/, '');

function valueOf(name: string, bound: ReadonlyMap<string, string>): string {
  if (!name.startsWith('?')) return name;
  const value = bound.get(name);
  if (value === undefined) throw new FormulaError(`the variable '${name}' is not bound by exists or forall`);
  return value;
}

/** Parses PDDL's list of variables with their types, such as `?r - receptacle ?a ?b - object`. */
function parseVariables(expression: SExpression): Variable[] {
  if (typeof expression === 'string')
    throw new FormulaError(`expected variables in parentheses, found '${expression}'`);
  const words = expression.map(term);
  const variables: Variable[] = [];
  let untyped: string[] = [];
  for (let i = 0; i < words.length; i++) {
    if (words[i] === '-') {
      const type = words[++i] ?? '';
      variables.push(...untyped.map((name) => ({ name, type })));
      untyped = [];
    } else untyped.push(words[i]);
  }
  if (untyped.length > 0)
    throw new FormulaError(`the variable '${untyped[0]}' has no type; write ${untyped[0]} - object`);
  return variables;
}

function term(expression: SExpression): string {
  if (typeof expression !== 'string') throw new FormulaError('expected a name, found a parenthesis');
  return expression;
}

function only(parts: readonly SExpression[], head: string): SExpression {
  if (parts.length !== 1) throw new FormulaError(`'${head}' takes one condition, found ${parts.length}`);
  return parts[0];
}
