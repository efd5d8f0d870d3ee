import { Fraction } from '../fraction.js';
import type { Answer, ListAnswer, Relation, ValueAnswer } from './answer.js';
import { isEqual, signOfRatio } from './equality.js';
import { binary, isNumeral, number, rationalValue, variablesOf, type Tree } from './tree.js';
import { conversion, isPercentage, type Unit } from './units.js';
import type { Work } from './work.js';
import { isSameNoun, labelOfNoun } from './words.js';

/** Returns whether an agent's answer equals the reference, whose unit or percent sign it may omit. */
export function isSame(given: Answer, right: Answer, work: Work): boolean {
  if (given.kind === 'list' && right.kind === 'list') return isSameList(given, right, work);
  if (!isSameName(given, right)) return false;
  if (given.kind === 'relation' || right.kind === 'relation') return isSameRelation(given, right, work);
  if (given.kind === 'value' && right.kind === 'value') return isSameValue(given, right, work);
  if (given.kind === 'ratio' && right.kind === 'ratio') return isSameRatio(given.members, right.members, work);
  if (given.kind === 'time' && right.kind === 'time')
    return given.minutes === right.minutes && given.half === right.half;
  if (given.kind === 'infinity' && right.kind === 'infinity') return given.sign === right.sign;
  return given.kind === 'text' && right.kind === 'text' && given.text === right.text;
}

/** Returns whether two names are compatible: equal, or one is null. The argument of a function is ignored: f(x) is f. */
function isSameName({ name: a }: Answer, { name: b }: Answer): boolean {
  return a === null || b === null || withoutVariable(a) === withoutVariable(b);
}

const withoutVariable = (name: string) => name.replace(/\([a-z]\)$/i, '');

/** Compares two values, of which either may be a percentage: 50 % equals 1/2, and 50 is accepted if 50 % is the reference. */
function isSameValue(given: ValueAnswer, right: ValueAnswer, work: Work): boolean {
  // If the reference is a number, a calculation that may only repeat the problem (such as `27 + 48` for 75) is not accepted.
  if (!work.takesCalculations && isNumeral(right.tree) && !isNumeral(given.tree)) return false;
  if (given.noun.length > 0 && right.noun.length > 0 && !isSameNoun(given.noun, right.noun)) return false;
  const [a, b] = [productOf(given), productOf(right)];
  if (a !== null && b !== null && (given.units.length === 0) !== (right.units.length === 0))
    if (isEqual(a, b, work)) return true;
  if (given.units.some(isPercentage) || right.units.some(isPercentage)) return isSameShare(given, right, work);
  if (given.units.length === 0 || right.units.length === 0) return isEqual(given.tree, right.tree, work);
  return given.units.some((from) => right.units.some((to) => isSameMeasure(given.tree, from, right.tree, to, work)));
}

/** Returns the expression of an answer: for a unit of one letter, such as `5 m`, the product 5 · m; null for other units. */
const productOf = ({ units, product, tree }: ValueAnswer): Tree | null => (units.length === 0 ? tree : product);

function isSameMeasure(given: Tree, from: Unit, right: Tree, to: Unit, work: Work): boolean {
  const factor = conversion(from, to);
  if (factor === null) return false;
  return isEqual(factor.equals(ONE) ? given : binary(number(factor), '*', given), right, work);
}

const ONE = Fraction.of(1);

function isSameShare(given: ValueAnswer, right: ValueAnswer, work: Work): boolean {
  const isPercent = right.units.some(isPercentage);
  if (isPercent && given.units.length === 0 && isEqual(given.tree, right.tree, work)) return true;
  const [a, b] = [asShare(given), asShare(right)];
  return a !== null && b !== null && isEqual(a, b, work);
}

function asShare({ tree, units }: ValueAnswer): Tree | null {
  if (units.length === 0) return tree;
  return isPercentage(units[0]) ? binary(tree, '*', number(units[0].scale)) : null;
}

function isSameList(given: ListAnswer, right: ListAnswer, work: Work): boolean {
  if (given.members.length !== right.members.length) return false;
  const byName = membersByName(given, right);
  if (byName !== null) return byName.every(([a, b]) => isSame(a, b, work));
  if (!isSameName(given, right)) return false;
  const inOrder = () => given.members.every((member, i) => isSame(member, right.members[i], work));
  if (hasNames(given) || hasNames(right)) return isUnnamed(given, right) && inOrder();
  if (given.isOrdered || right.isOrdered) return given.open === right.open && given.close === right.close && inOrder();
  if (!isSameJoin(given.open, right.open) || !isSameJoint(given, right)) return false;
  return isSameSet(given.members, right.members, work);
}

/** Compares the `and` or `or` of two lists, which matters only for statements such as `x > 3 and x < 5`. */
function isSameJoint(given: ListAnswer, right: ListAnswer): boolean {
  if (given.joint === undefined || right.joint === undefined || given.joint === right.joint) return true;
  return right.name !== null || !right.members.some(isStatement);
}

/** Returns whether an answer is a statement about variables: a relation, or an expression with variables. */
const isStatement = (answer: Answer): boolean =>
  answer.kind === 'relation' || (answer.kind === 'value' && answer.name === null && variablesOf(answer.tree).size > 0);

/** Returns whether two lists of sets are joined alike: no brackets, a set and a union count as equal, an intersection not. */
const isSameJoin = (a: string, b: string): boolean => a === b || (a !== '∩' && b !== '∩');

/** Compares unordered lists, pairing each member with the first equal one. Equality is transitive, except for percentages. */
function isSameSet(given: readonly Answer[], right: readonly Answer[], work: Work): boolean {
  const left = [...right];
  return given.every((member) => {
    const partner = left.findIndex((other) => isSame(member, other, work));
    if (partner >= 0) left.splice(partner, 1);
    return partner >= 0;
  });
}

/** Returns whether the members of a list have names or nouns that distinguish them, as in `x = 1, y = 2`. */
function hasNames({ members }: ListAnswer): boolean {
  const labels = members.map(labelOf);
  return !labels.includes(null) && new Set(labels).size === labels.length;
}

function labelOf(answer: Answer): string | null {
  const noun = answer.kind === 'value' ? labelOfNoun(answer.noun) : '';
  return answer.name ?? (noun === '' ? null : noun);
}

/** Pairs the members of two lists that have the same name; null if a member has no name or no counterpart. */
function membersByName(given: ListAnswer, right: ListAnswer): [Answer, Answer][] | null {
  if (!hasNames(given) || !hasNames(right)) return null;
  const pairs: [Answer, Answer][] = [];
  for (const member of given.members) {
    const label = labelOf(member);
    const partner = right.members.find((other) => labelOf(other) === label);
    if (partner === undefined) return null;
    pairs.push([member, partner]);
  }
  return pairs;
}

/** Returns whether a list without names can be compared in order with one that has them: `1, 2` is right for `x = 1, y = 2`. */
function isUnnamed(given: ListAnswer, right: ListAnswer): boolean {
  const other = hasNames(given) ? right : given;
  return other.members.every((member) => labelOf(member) === null) && ['', '('].includes(other.open);
}

function isSameRatio(given: readonly Tree[], right: readonly Tree[], work: Work): boolean {
  if (given.length !== right.length) return false;
  if (isTime(given) || isTime(right)) return given.every((member, i) => isEqual(member, right[i], work));
  return given.every((member, i) => isEqual(binary(member, '*', right[0]), binary(right[i], '*', given[0]), work));
}

/** Returns whether a ratio may be hours and minutes, which are not proportional: 12:30 does not equal 24:60. */
function isTime(members: readonly Tree[]): boolean {
  const [hours, minutes] = members.map((member) => rationalValue(member)?.toNumber() ?? NaN);
  return members.length === 2 && hours <= 24 && minutes <= 59 && (minutes >= 10 || minutes === 0);
}

function isSameRelation(given: Answer, right: Answer, work: Work): boolean {
  const [a, b] = [intervalOf(given), intervalOf(right)];
  if (a !== null && b !== null) return isSameList(a, b, work);
  if (given.kind !== 'relation' || right.kind !== 'relation') return isNamedEquation(given, right, work);
  if (given.relations.length !== right.relations.length || given.relations.length === 0) return false;
  const left = [...right.relations];
  return given.relations.every((relation) => {
    const partner = left.findIndex((other) => isSameSolution(relation, other, work));
    if (partner >= 0) left.splice(partner, 1);
    return partner >= 0;
  });
}

const intervalOf = (answer: Answer): ListAnswer | null =>
  answer.kind === 'list' ? answer : answer.kind === 'relation' ? answer.interval : null;

/** Compares an equation with a named value, both as equations: `2x - y = 0` equals `y = 2x`. */
function isNamedEquation(given: Answer, right: Answer, work: Work): boolean {
  const [a, b] = [asEquation(given), asEquation(right)];
  return a !== null && b !== null && isSameSolution(a, b, work);
}

function asEquation(answer: Answer): Relation | null {
  if (answer.kind === 'relation') return answer.relations.length === 1 ? answer.relations[0] : null;
  if (answer.kind !== 'value' || answer.name === null || answer.units.length > 0) return null;
  return { left: { type: 'variable', name: answer.name }, comparison: '=', right: answer.tree };
}

/** Returns whether two relations have the same solutions, so that the differences of their sides are proportional. */
function isSameSolution(given: Relation, right: Relation, work: Work): boolean {
  const [a, b] = [oriented(given), oriented(right)];
  if (a.comparison !== b.comparison) return false;
  const difference = ({ left, right: other }: Relation) => binary(left, '-', other);
  const sign = signOfRatio(difference(a), difference(b), work);
  return sign === 1 || (sign === -1 && (a.comparison === '=' || a.comparison === '!='));
}

/** Rewrites a relation with > or ≥ to one with < or ≤, by swapping its sides. */
function oriented({ left, comparison, right }: Relation): Relation {
  if (comparison === '>') return { left: right, comparison: '<', right: left };
  return comparison === '>=' ? { left: right, comparison: '<=', right: left } : { left, comparison, right };
}
