// The values of formats that write texts without quotation marks: which are texts is known from the tool's schema alone.
import { pythonToJson } from './python-reading.js';
import { isSchema, resolved, type Schema } from './schemas.js';

/** The schema of one argument; null where nothing is known of it. */
export function schemaOf(parameters: Schema | null | undefined, key: string): Schema | null {
  const properties = parameters?.properties;
  if (!isSchema(properties) || !Object.hasOwn(properties, key)) return null;
  const schema = properties[key];
  return isSchema(schema) ? schema : null;
}

/**
 * JSON of a value that is written without quotation marks. Numbers, lists and objects keep their text; Python's True, False, None,
 * lists and dicts become JSON's.
 */
export function typedValue(raw: string, schema: Schema | null, root: Schema | null): string {
  const types = typesOf(schema, root);
  // No template puts space around a value that is not a text.
  const isText = types?.has('string') && (types.size === 1 || raw !== raw.trim());
  if (isText) return JSON.stringify(raw);
  const json = jsonOf(raw.trim());
  if (json === null) return JSON.stringify(raw);
  const type = typeOf(JSON.parse(json));
  // A text with quotation marks is written with them.
  if (type === 'string' || (types?.has('string') && !types.has(type))) return JSON.stringify(raw);
  return json;
}

function jsonOf(text: string): string | null {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return pythonToJson(text);
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** References within references are followed this far. */
const MOST_REFERENCES = 16;

/** The types that a schema allows, `integer` as `number`; null: any. */
function typesOf(schema: Schema | null, root: Schema | null, depth = 0): Set<string> | null {
  if (schema === null || depth > MOST_REFERENCES) return null;
  const { type, $ref: reference, anyOf, oneOf, enum: values } = schema;
  if (typeof type === 'string') return new Set([plainType(type)]);
  if (Array.isArray(type)) return new Set(type.map((each) => plainType(String(each))));
  if (typeof reference === 'string') return typesOf(resolved(reference, root), root, depth + 1);
  if (Array.isArray(values)) return new Set(values.map(typeOf));
  if ('const' in schema) return new Set([typeOf(schema.const)]);
  const branches = [anyOf, oneOf].find(Array.isArray) as unknown[] | undefined;
  if (branches === undefined) return null;
  const all = branches.map((branch) => typesOf(isSchema(branch) ? branch : null, root, depth + 1));
  return all.includes(null) ? null : new Set(all.flatMap((types) => [...types!]));
}

const plainType = (type: string): string => (type === 'integer' ? 'number' : type);
