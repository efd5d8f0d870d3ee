// Writes the Markdown tables of docs/models/request-fields.md, which say how the server treats each field of a request.
import type { FieldRule, FieldRules } from './field-rules.js';

/**
 * Returns a Markdown table with one line for all fields of an object that are treated equally. @param places the names of the
 * objects in a request, each with the rules of its fields
 */
export function fieldTable(places: readonly (readonly [place: string, rules: FieldRules])[]): string {
  const lines = places.flatMap(([place, rules]) => linesOf(place, rules));
  return ['| where | what happens | fields |', '|---|---|---|', ...lines].join('\n');
}

export const common = (rules: FieldRules, other: FieldRules): FieldRules =>
  Object.fromEntries(Object.entries(rules).filter(([name, rule]) => isSame(rule, other[name])));

export const others = (rules: FieldRules, other: FieldRules): FieldRules =>
  Object.fromEntries(Object.entries(rules).filter(([name, rule]) => !isSame(rule, other[name])));

const isSame = (a: FieldRule, b: FieldRule | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

function linesOf(place: string, rules: FieldRules): string[] {
  const byKind = new Map<string, string[]>();
  for (const [name, rule] of Object.entries(rules)) {
    const what = rule.kind === 'refused' && rule.instead !== null ? `refused: ${rule.instead}` : rule.kind;
    byKind.set(what, [...(byKind.get(what) ?? []), `\`${name}\`${exceptions(rule)}`]);
  }
  return [...byKind].map(([what, names]) => `| ${place} | ${what} | ${names.join(', ')} |`);
}

/** Returns the values with which a refused field is accepted, as a text. */
const exceptions = (rule: FieldRule): string =>
  rule.kind === 'refused' && rule.unless.length > 0
    ? ` (${rule.unless.map((value) => `\`${JSON.stringify(value)}\``).join(' or ')})`
    : '';

/** Returns the objects within a request, by their names in the table, with the rules of their fields. */
export const placesOf = (nested: Readonly<Record<string, FieldRules>>) =>
  Object.entries(nested).map(([place, rules]) => [`\`${place}\``, rules] as const);
