// The format of an item: named, or found by its keys.
import { asRecord, BadItem, found } from '../files/data-error.js';
import { anthropicFormat } from './anthropic.js';
import { atifFormat } from './atif.js';
import { chatFormat } from './chat.js';
import type { TraceFormat } from './format.js';
import { otlpFormat } from './otlp.js';
import { preferenceFormat } from './preference.js';
import { responsesFormat } from './responses.js';

/** Chat messages last: an item without marks of another format is of this one. */
export const FORMATS: readonly TraceFormat[] = [
  otlpFormat,
  atifFormat,
  responsesFormat,
  anthropicFormat,
  preferenceFormat,
  chatFormat,
];

export const FORMAT_NAMES = FORMATS.map(({ name }) => name);

/** A key of the first item by which a file is one of conversations, whatever format they are in. */
export const MARKS: readonly string[] = [
  'messages',
  'conversations',
  'resourceSpans',
  'resource_spans',
  'schema_version',
  'output',
  'request',
  'response',
  'items',
  'chosen',
  'rejected',
  'label',
];

/** @param name null: by its keys @throws {BadItem} where the item is not of the named format */
export function formatOf(item: unknown, name: string | null): TraceFormat {
  const record = asRecord(item) ?? {};
  if (name === null) return FORMATS.find(({ fits }) => fits(record)) ?? chatFormat;
  const named = FORMATS.find((format) => format.name === name)!;
  const other = FORMATS.find(({ fits }) => fits(record));
  // An item of texts alone is the same in the formats of OpenAI and Anthropic.
  const isPlain = other === chatFormat && named === anthropicFormat && Array.isArray(record.messages);
  if (other === named || isPlain) return named;
  throw new BadItem(
    `is ${found(item)}${other === undefined ? '' : `, which is of the format '${other.name}'`}, not of the format '${name}'`,
  );
}

/** Returns whether an item has the mark of a format other than chat messages. */
export const isTrace = (item: unknown): boolean => {
  const record = asRecord(item);
  return record !== null && FORMATS.some((format) => format !== chatFormat && format.fits(record));
};
