// Determines the format of a conversation in a data file: the one that the user has named, or the one that its keys show.
import { asRecord, BadItem, found } from '../files/data-error.js';
import { anthropicFormat } from './anthropic.js';
import { atifFormat } from './atif.js';
import { chatFormat } from './chat.js';
import type { TraceFormat } from './format.js';
import { otlpFormat } from './otlp.js';
import { preferenceFormat } from './preference.js';
import { responsesFormat } from './responses.js';

/** Chat messages are last, since they match every item without the keys of another format. */
export const FORMATS: readonly TraceFormat[] = [
  otlpFormat,
  atifFormat,
  responsesFormat,
  anthropicFormat,
  preferenceFormat,
  chatFormat,
];

export const FORMAT_NAMES = FORMATS.map(({ name }) => name);

/** If the first item of a file has one of these keys, the file contains conversations, in any of the formats. */
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
 * @param name the format that the user has named; null to detect it from the item's keys
 * @throws {BadItem} if the item is not in the named format
 */
export function formatOf(item: unknown, name: string | null): TraceFormat {
  const record = asRecord(item) ?? {};
  if (name === null) return FORMATS.find(({ fits }) => fits(record)) ?? chatFormat;
  const named = FORMATS.find((format) => format.name === name)!;
  const other = FORMATS.find(({ fits }) => fits(record));
  // Messages that contain only texts look the same in OpenAI's and Anthropic's formats, so that Anthropic's name is accepted too.
  const isPlain = other === chatFormat && named === anthropicFormat && Array.isArray(record.messages);
  if (other === named || isPlain) return named;
  throw new BadItem(
    `is ${found(item)}${other === undefined ? '' : `, which is of the format '${other.name}'`}, not of the format '${name}'`,
  );
}

/** Returns whether the keys of an item show a format other than chat messages. */
export const isTrace = (item: unknown): boolean => {
  const record = asRecord(item);
  return record !== null && FORMATS.some((format) => format !== chatFormat && format.fits(record));
};
