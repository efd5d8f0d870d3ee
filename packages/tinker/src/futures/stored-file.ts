// Reads and writes the files of requests and results: one line of JSON with the properties, then the bytes of the body.
import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from '@bowyer/core';

export const writeStored = (path: string, head: object, content: Uint8Array): Promise<void> =>
  writeFileAtomically(path, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), content]));

export async function readStored<Head>(path: string): Promise<{ head: Head; content: Uint8Array }> {
  const bytes = await readFile(path);
  const end = bytes.indexOf(0x0a);
  return { head: JSON.parse(bytes.subarray(0, end).toString()) as Head, content: bytes.subarray(end + 1) };
}
