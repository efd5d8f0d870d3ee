// Checks JSON of recipe files as far as it is read; errors name the place.
import { readFileSync } from 'node:fs';

export class RecipeFileError extends Error {
  override readonly name = 'RecipeFileError';

  constructor(
    readonly path: string,
    problem: string,
  ) {
    super(`textcraft: ${path}: ${problem}`);
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function parsedRecord(text: string, place: string): Record<string, unknown> {
  const value = parsed(text, place);
  if (isRecord(value)) return value;
  throw new RecipeFileError(place, 'is not a JSON object');
}

export const readRecord = (path: string) => parsedRecord(readFileSync(path, 'utf8'), path);

export function readList(path: string): unknown[] {
  const value = parsed(readFileSync(path, 'utf8'), path);
  if (Array.isArray(value)) return value;
  throw new RecipeFileError(path, 'is not a JSON list');
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RecipeFileError(place, 'is not JSON');
  }
}
