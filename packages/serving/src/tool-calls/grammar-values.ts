// Makes the grammars of tool arguments for formats that do not write them as JSON: one value per parameter, by its schema.
import {
  either,
  jsonValue,
  spend,
  pattern,
  repeat,
  rule,
  sequence,
  text,
  UnsupportedSchemaError,
  type Grammar,
} from '@bowyer/text';
import type { Tool } from './answer-parts.js';
import { isSchema, resolved, type Schema } from './schemas.js';

export interface ArgumentWriter {
  /** Returns the keys of an object in the order in which the format writes them. */
  keys?(keys: readonly string[]): readonly string[];
  member(key: string, value: Grammar): Grammar;
  separator: string;
  string(schema: Schema, values: Values): Grammar;
  /** Returns the grammar of a fixed value, such as one of an enumeration. */
  constant(value: unknown): Grammar;
  /** Returns the grammar of a list or an object; both are written as JSON if not given. */
  nested?(schema: Schema, values: Values): Grammar;
  /** Adds the format's markers around a value that is written as JSON; it has none if not given. */
  json?(value: Grammar): Grammar;
  boolean: readonly [yes: string, no: string];
  nothing: string;
}

/** Returns the grammar of a tool's arguments, without the brackets that enclose all of them. */
export function argumentsOf(tool: Tool, writer: ArgumentWriter): Grammar {
  const root = tool.parameters ?? {};
  const values = new Values(writer, root, tool.strict);
  return values.members(root, '#', writer.member, writer.separator);
}

export class Values {
  constructor(
    private readonly writer: ArgumentWriter,
    private readonly root: Schema,
    private readonly isStrict: boolean,
  ) {}

  /** Returns the grammar of an object's properties in the order of the schema; optional properties may be missing. */
  members(schema: Schema, path: string, member: ArgumentWriter['member'], separator: string): Grammar {
    const properties = isSchema(schema.properties) ? schema.properties : {};
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const keys = this.writer.keys?.(Object.keys(properties)) ?? Object.keys(properties);
    const known = new Map<string, Grammar>();
    const from = (i: number, hasBefore: boolean): Grammar => {
      if (i === keys.length) return text('');
      const id = `${i} ${hasBefore}`;
      const rest = known.get(id) ?? rule(() => one(i, hasBefore));
      known.set(id, rest);
      return rest;
    };
    const one = (i: number, hasBefore: boolean): Grammar => {
      const key = keys[i];
      const value = this.value(properties[key], `${path}/properties/${key}`);
      const here = sequence(text(hasBefore ? separator : ''), member(key, value), from(i + 1, true));
      return required.has(key) ? here : either(here, from(i + 1, hasBefore));
    };
    // An unsupported schema is thus refused before sampling begins.
    for (const key of keys) this.value(properties[key], `${path}/properties/${key}`);
    return from(0, false);
  }

  value(given: unknown, path: string, depth = 0): Grammar {
    spend(STEPS_PER_VALUE);
    if (depth > MOST_REFERENCES) this.#refuse('anyOf', path, 'has alternatives within each other without an end');
    const schema = depth > MOST_REFERENCES ? {} : this.#resolved(given, path);
    if ('const' in schema) return this.writer.constant(schema.const);
    if (Array.isArray(schema.enum)) return either(...schema.enum.map((value) => this.writer.constant(value)));
    const branches = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
    if (branches) return either(...branches.map((branch, i) => this.value(branch, `${path}/anyOf/${i}`, depth + 1)));
    if (Array.isArray(schema.type)) return either(...schema.type.map((type) => this.#typed(schema, type, path)));
    return this.#typed(schema, schema.type, path);
  }

  #typed(schema: Schema, type: unknown, path: string): Grammar {
    const { boolean, nothing, nested } = this.writer;
    switch (type) {
      case 'boolean':
        return either(...boolean.map((name) => text(name)));
      case 'null':
        return text(nothing);
      case 'integer':
      case 'number':
        return this.json({ ...schema, type });
      case 'array':
      case 'object':
        return nested ? nested({ ...schema, type }, this) : this.json({ ...schema, type });
      default:
        this.#checkString(schema, path);
        return this.writer.string(schema, this);
    }
  }

  /** If the schema is unsupported, a strict tool is refused, and for another tool only the type is guaranteed. */
  json(schema: Schema): Grammar {
    const value = this.#json(schema);
    return this.writer.json?.(value) ?? value;
  }

  #json(schema: Schema): Grammar {
    const { $defs, definitions } = this.root;
    try {
      return jsonValue({
        ...($defs !== undefined && { $defs }),
        ...(definitions !== undefined && { definitions }),
        ...schema,
      });
    } catch (error) {
      if (this.isStrict || !(error instanceof UnsupportedSchemaError)) throw error;
      return jsonValue({ type: schema.type });
    }
  }

  #resolved(given: unknown, path: string): Schema {
    let schema = isSchema(given) ? given : {};
    for (let i = 0; i < MOST_REFERENCES; i++) {
      const { $ref: reference, allOf, ...own } = schema;
      if (typeof reference === 'string') {
        const found = resolved(reference, this.root);
        if (found === null) this.#refuse('$ref', path, 'refers to a place that is not in the schema');
        schema = found ?? {};
      } else if (Array.isArray(allOf) && allOf.length === 1 && isSchema(allOf[0])) {
        schema = { ...own, ...allOf[0] }; // Pydantic writes a reference with a default or a description in this way
      } else break;
    }
    return schema;
  }

  /** The format writes strings without quotation marks, so that only patterns and lengths can be guaranteed. */
  #checkString(schema: Schema, path: string): void {
    const format = ['format', 'allOf', 'not', 'if'].find((keyword) => keyword in schema);
    if (format) this.#refuse(format, path, 'cannot be guaranteed in this format of calls');
  }

  #refuse(keyword: string, path: string, problem: string): void {
    if (this.isStrict) throw new UnsupportedSchemaError(keyword, path, problem);
  }
}

const MOST_REFERENCES = 16;

/** The most steps that the analysis of one value's schema may take. */
const STEPS_PER_VALUE = 10;

/** Returns the grammar of strings with a pattern or a bounded length; null if the schema bounds neither. */
export function boundedText({ pattern: expression, minLength, maxLength }: Schema, one: Grammar): Grammar | null {
  if (typeof expression === 'string') return pattern(expression);
  if (minLength === undefined && maxLength === undefined) return null;
  return repeat(one, Number(minLength ?? 0), Number(maxLength ?? Infinity));
}
