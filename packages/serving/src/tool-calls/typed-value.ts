// Reads values of formats that write texts without quotation marks, where only the tool's schema decides whether a value is a
// text.
import { pythonToJson } from './python-reading.js';
import { allows, memberSchemas, type CheckedKeywords, type Schema } from './schemas.js';

/**
 * Reads the value of an argument that is written without quotation marks, as JSON. The unchanged text is preferred to the other
 * readings that the tool's schema allows; only `null` is read as null if the schema allows that too. Numbers, lists and objects
 * keep their text; Python's True, False, None, lists and dicts become JSON's.
 *
 * If the schema allows no reading, the value has the reading of an allowed type, and the tool reports what is wrong. If the
 * schema has no type, JSON is read as JSON.
 *
 * @param parameters the schema of all arguments; null if unknown
 * @returns null for an empty value that cannot be a text: the argument is then omitted
 */
export function typedValue(raw: string, key: string, parameters: Schema | null): string | null {
  const schema = { allOf: memberSchemas(parameters, key, parameters) };
  if (ANY.every((value) => allows(schema, value, parameters, 'types'))) return plainValue(raw);
  const text = { value: raw, json: JSON.stringify(raw) };
  const literals = readings(raw.trim());
  for (const checked of ['values', 'types'] satisfies CheckedKeywords[]) {
    const isAllowed = ({ value }: Reading) => allows(schema, value, parameters, checked);
    const literal = literals.find(isAllowed);
    // Templates write no space around a value that is not a text.
    const isNull = literal?.value === null && raw === raw.trim();
    if (isAllowed(text) && !isNull) return text.json;
    if (literal !== undefined) return literal.json;
  }
  return raw.trim() === '' ? null : (literals[0] ?? text).json;
}

/** One value of each type. */
const ANY = ['', 0, null, true, [], {}];

/** A possible reading of a text. */
interface Reading {
  value: unknown;
  json: string;
}

/** Returns the readings other than the text itself: JSON or Python, or a number with leading zeros, which neither of them allows. */
function readings(text: string): Reading[] {
  const json = jsonOf(text) ?? pythonToJson(text) ?? jsonOf(text.replace(/^([-+]?)0+(?=\d)/, '$1').replace(/^\+/, ''));
  const value: unknown = json === null ? undefined : JSON.parse(json);
  // A text with quotation marks keeps them.
  return json === null || typeof value === 'string' ? [] : [{ value, json }];
}

/** Reads a value without a schema type: JSON, or a name, a list or a dict of Python; anything else is a text. */
export function plainValue(raw: string): string {
  const text = raw.trim();
  const json = jsonOf(text) ?? (/^[-+.\d]/.test(text) ? null : pythonToJson(text));
  return json === null || json.startsWith('"') ? JSON.stringify(raw) : json;
}

function jsonOf(text: string): string | null {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return null;
  }
}
