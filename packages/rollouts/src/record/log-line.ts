// One line of the log: an event as JSON, whose last member is the checksum of what stands before it.
import { crc32 } from 'node:zlib';

const MARK = ',"crc32":"';
/** Bytes of `,"crc32":"0123abcd"}`. */
const TAIL = MARK.length + 8 + 2;

/** @param event an object with members @returns the line with its end */
export function lineOf(event: object): string {
  const body = JSON.stringify(event).slice(0, -1);
  return `${body}${MARK}${checksum(body)}"}\n`;
}

/**
 * @param line without its end
 * @returns null where the line is not as it was written
 */
export function eventOf<T>(line: Buffer): T | null {
  const length = line.length - TAIL;
  if (length <= 0) return null;
  const body = line.subarray(0, length);
  if (line.toString('latin1', length) !== `${MARK}${checksum(body)}"}`) return null;
  return JSON.parse(`${body.toString('utf8')}}`) as T;
}

const checksum = (text: string | Buffer): string => crc32(text).toString(16).padStart(8, '0');
