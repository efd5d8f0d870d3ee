// The table of docs/models/chat.md, made of the rules themselves.
import { chatFields, nestedFields, textFields, type FieldRule, type FieldRules } from './known-fields.js';

/** A line for fields that are treated alike, in Markdown. */
export function fieldTable(): string {
  const places: readonly (readonly [string, FieldRules])[] = [
    ['both', common(chatFields, textFields)],
    ['chats', others(chatFields, textFields)],
    ['completions', others(textFields, chatFields)],
    ...Object.entries(nestedFields).map(([place, rules]) => [`\`${place}\``, rules] as const),
  ];
  const lines = places.flatMap(([place, rules]) => linesOf(place, rules));
  return ['| where | what happens | fields |', '|---|---|---|', ...lines].join('\n');
}

const common = (rules: FieldRules, other: FieldRules): FieldRules =>
  Object.fromEntries(Object.entries(rules).filter(([name, rule]) => isSame(rule, other[name])));

const others = (rules: FieldRules, other: FieldRules): FieldRules =>
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

/** The values that a refused field may have. */
const exceptions = (rule: FieldRule): string =>
  rule.kind === 'refused' && rule.unless.length > 0
    ? ` (${rule.unless.map((value) => `\`${JSON.stringify(value)}\``).join(' or ')})`
    : '';
