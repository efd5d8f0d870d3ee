// Checks those members of a recipe's JSON that TextCraft reads. Its errors name the file and the member.
import { readFileSync } from 'node:fs';
import { isRecord } from '@bowyer/core';

export class RecipeFileError extends Error {
  override readonly name = 'RecipeFileError';

  constructor(
    readonly path: string,
    problem: string,
  ) {
    super(`textcraft: ${path}: ${problem}`);
  }
}

/** Parses a text that must be a JSON object. @param place the file and line, for the error */
export function parsedRecord(text: string, place: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RecipeFileError(place, 'is not JSON');
  }
  if (isRecord(value)) return value;
  throw new RecipeFileError(place, 'is not a JSON object');
}

export const readRecord = (path: string) => parsedRecord(readFileSync(path, 'utf8'), path);
