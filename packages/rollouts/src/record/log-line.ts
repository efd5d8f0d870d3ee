// Writes and reads a line of the log of rollouts: an event as JSON, whose last member is a checksum of the members before it.
import { crc32 } from 'node:zlib';
import { jsonAsWritten, parseJson } from '@bowyer/text';

const MARK = ',"crc32":"';
/** The number of bytes of the checksum and the closing brace, `,"crc32":"0123abcd"}`. */
const TAIL = MARK.length + 8 + 2;

/** Writes an event as a line of the log. @param event an object with members @returns the line with its line break */
export function lineOf(event: object): string {
  const { call } = event as { call?: unknown };
  const written = typeof call === 'object' && call !== null ? writtenParts(call) : null;
  const body = JSON.stringify(written === null ? event : { ...event, written }).slice(0, -1);
  return `${body}${MARK}${checksum(body)}"}\n`;
}

/** Reads an event from a line of the log. @param line without its line break @returns null if the checksum is wrong */
export function eventOf<T>(line: Buffer): T | null {
  const length = line.length - TAIL;
  if (length <= 0) return null;
  const body = line.subarray(0, length);
  if (line.toString('latin1', length) !== `${MARK}${checksum(body)}"}`) return null;
  const { written, ...event } = JSON.parse(`${body.toString('utf8')}}`) as { written?: Record<string, string> };
  if (written === undefined) return event as T;
  const parts = Object.entries(written).map(([name, text]) => [name, parseJson(text)]);
  return { ...event, call: { ...(event as { call: object }).call, ...Object.fromEntries(parts) } } as T;
}

/** The members of a recorded call that contain JSON of the client, whose numbers must be kept as they were written. */
const GIVEN = ['request', 'tools', 'messages'];

/** Returns the JSON of members with numbers that JSON.stringify would write differently, such as 1.0; null if there are none. */
function writtenParts(call: object): Record<string, string> | null {
  const texts = Object.entries(call).flatMap(([name, value]) => {
    if (!GIVEN.includes(name)) return [];
    const text = jsonAsWritten(value);
    return text === JSON.stringify(value) ? [] : [[name, text]];
  });
  return texts.length === 0 ? null : (Object.fromEntries(texts) as Record<string, string>);
}

const checksum = (text: string | Buffer): string => crc32(text).toString(16).padStart(8, '0');
