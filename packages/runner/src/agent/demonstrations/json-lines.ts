// Reads a user's JSONL files and checks them line by line; errors name the file and the line.
import { readTextLines, repeatedKeyProblem } from '@bowyer/core';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { BadItem } from '@bowyer/conversations';
import { parseJson } from '@bowyer/text';

export class JsonLineError extends Error {
  override readonly name = 'JsonLineError';

  /** @param line the number of the line, counted from 1 */
  constructor(
    readonly file: string,
    readonly line: number,
    problem: string,
  ) {
    super(`${file}:${line}: ${problem}`);
  }
}

/**
 * Reads the lines of a JSONL file in order, and skips empty lines.
 *
 * @param schema a JSON Schema that every line must satisfy
 * @throws {JsonLineError} at the first line that is not JSON or does not satisfy the schema
 */
export async function readJsonLines<T>(path: string, schema: object): Promise<{ line: number; value: T }[]> {
  const fits = await checkOf(schema);
  const values: { line: number; value: T }[] = [];
  try {
    // A `\r` at the end of a line, as Windows writes it, needs no treatment, since JSON.parse ignores it.
    for await (const { text, line } of readTextLines(path)) {
      if (text.trim() === '') continue;
      const value = parse(text, path, line);
      if (!fits(value)) throw new JsonLineError(path, line, complaint(fits.errors![0]));
      values.push({ line, value: value as T });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new Error(`cannot read '${path}' (${code})`);
  }
  return values;
}

/** Calls a function that reads one line, and adds the file and the line to the message of an error. */
export function atLine<T>(path: string, line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof BadItem ? new JsonLineError(path, line, error.message) : error;
  }
}

const checks = new WeakMap<object, ValidateFunction>();

async function checkOf(schema: object): Promise<ValidateFunction> {
  const { Ajv } = (await import('ajv')).default; // bundlers export a CommonJS module's exports as the default only
  const check = checks.get(schema) ?? new Ajv({ strict: false, strictNumbers: true, verbose: true }).compile(schema);
  checks.set(schema, check);
  return check;
}

function parse(content: string, path: string, line: number): unknown {
  let value: unknown;
  let twice: string | null = null;
  try {
    value = parseJson(content, (key) => (twice ??= key));
  } catch (error) {
    throw new JsonLineError(path, line, `is not JSON: ${(error as Error).message}`);
  }
  if (twice === null) return value;
  throw new JsonLineError(path, line, repeatedKeyProblem(twice));
}

function complaint({ instancePath, keyword, params, parentSchema, message, data }: ErrorObject): string {
  const place = instancePath === '' ? 'the line' : `'${instancePath.slice(1).replaceAll('/', '.')}'`;
  if (keyword === 'additionalProperties') {
    const known = Object.keys((parentSchema?.properties ?? {}) as object);
    return `${place} has an unknown key '${params.additionalProperty as string}'; known keys: ${known.join(', ')}`;
  }
  if (keyword === 'enum') return `${place} must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
  if (Math.abs(data as number) === Infinity) return `${place} must be a finite number`; // JSON.parse reads 1e999 as Infinity
  return `${place} ${message ?? 'is wrong'}`;
}
