// Determines the format of an item: the given one, or the one that its keys show.
import { asRecord, BadItem, found } from '../files/data-error.js';
import { anthropicFormat } from './anthropic.js';
import { atifFormat } from './atif.js';
import { chatFormat } from './chat.js';
import type { TraceFormat } from './format.js';
import { otlpFormat } from './otlp.js';
import { preferenceFormat } from './preference.js';
import { responsesFormat } from './responses.js';

/** All formats. Chat messages are last: they match items without keys of another format. */
export const FORMATS: readonly TraceFormat[] = [
  otlpFormat,
  atifFormat,
  responsesFormat,
  anthropicFormat,
  preferenceFormat,
  chatFormat,
];

export const FORMAT_NAMES = FORMATS.map(({ name }) => name);

/** Keys of a first item that mark a file as conversations, in any format. */
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
  'completion',
];

/**
 * Returns the format of an item. @param name null: its keys determine it @throws {BadItem} if the item is not in the named format
 */
export function formatOf(item: unknown, name: string | null): TraceFormat {
  const record = asRecord(item) ?? {};
  if (name === null) return FORMATS.find(({ fits }) => fits(record)) ?? chatFormat;
  const named = FORMATS.find((format) => format.name === name)!;
  const other = FORMATS.find(({ fits }) => fits(record));
  // Items that contain only texts are the same in OpenAI's and Anthropic's formats.
  const isPlain = other === chatFormat && named === anthropicFormat && Array.isArray(record.messages);
  if (other === named || isPlain) return named;
  throw new BadItem(
    `is ${found(item)}${other === undefined ? '' : `, which is of the format '${other.name}'`}, not of the format '${name}'`,
  );
}

/** Returns whether an item has keys of a format other than chat messages. */
export const isTrace = (item: unknown): boolean => {
  const record = asRecord(item);
  return record !== null && FORMATS.some((format) => format !== chatFormat && format.fits(record));
};
