// Writes a table of fields and their treatment from the rules.
import type { FieldRule, FieldRules } from './field-rules.js';

/** Returns a Markdown table with one line for all fields of a place with equal treatment. @param places with the rules of each */
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

/** Returns the values that a refused field may have. */
const exceptions = (rule: FieldRule): string =>
  rule.kind === 'refused' && rule.unless.length > 0
    ? ` (${rule.unless.map((value) => `\`${JSON.stringify(value)}\``).join(' or ')})`
    : '';

/** Returns the places of objects within a request, named as in the table, with their rules. */
export const placesOf = (nested: Readonly<Record<string, FieldRules>>) =>
  Object.entries(nested).map(([place, rules]) => [`\`${place}\``, rules] as const);
