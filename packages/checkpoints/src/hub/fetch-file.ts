// One file of the hub into the cache's blobs: continued where an earlier attempt ended, checked before it counts.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineError, namingFile, withProgress } from '@bowyer/core';
import type { RemoteFile } from './hub-files.js';

interface FetchOptions {
  url: string;
  headers: Record<string, string>;
  /** Receives the number of bytes of this file that are here. */
  progress: (bytes: number) => void;
  /** Seconds before the first repetition; each further one waits twice as long. */
  pauseSeconds: number;
  /** A connection that brings almost nothing in this time, in ms, is closed, and another attempt begins. */
  stillMs?: number;
}

const STILL_MS = 60_000;
/** Fewer bytes in that time count as no progress. */
const STILL_BYTES = 64 * 1024;

/** Attempts without a single new byte before giving up. */
const ATTEMPTS = 5;

/** The error for a server that answered, but not with the file. */
class HubStatusError extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
  }
}

/** The error for bytes that arrived and are not those that the hub announced. */
export class ChecksumError extends Error {}

/**
 * Downloads a file, continuing what an earlier attempt left.
 *
 * @param blob where the content goes; `BLOB.incomplete` contains the part downloaded so far, also after a failure
 */
export async function fetchFile(file: RemoteFile, blob: string, options: FetchOptions): Promise<void> {
  const incomplete = `${blob}.incomplete`;
  await mkdir(dirname(blob), { recursive: true });
  let failures = 0;
  for (let have = await sizeOf(incomplete); have !== file.size;) {
    if (have > file.size) await rm(incomplete);
    try {
      await receive(incomplete, Math.min(have, file.size) === have ? have : 0, options);
    } catch (error) {
      const lasting = error instanceof HubStatusError && error.statusCode < 500 && error.statusCode !== 429;
      // A line that stood still had brought little, if anything.
      const grown = !(error instanceof DeadlineError) && (await sizeOf(incomplete)) > have;
      failures = grown ? 0 : failures + 1;
      if (lasting || failures >= ATTEMPTS) throw error;
      await sleep(1000 * options.pauseSeconds * 2 ** failures);
    }
    have = await sizeOf(incomplete);
  }
  const found = await digestOf(incomplete, file);
  if (found !== file.etag) {
    await rm(incomplete);
    throw new ChecksumError(
      `'${file.path}' was damaged in transfer: its ${file.digest === 'git' ? 'git SHA-1' : 'SHA-256'} should be ${file.etag}, it is ${found}`,
    );
  }
  await rename(incomplete, blob);
}

/** Adds what is missing from byte `have` on; starts again where the server ignores the range. */
function receive(path: string, have: number, options: FetchOptions): Promise<void> {
  const { url, stillMs = STILL_MS } = options;
  const what = `GET ${url.split('?')[0]}: fewer than ${STILL_BYTES} bytes arrived`;
  return withProgress(stillMs, what, undefined, (signal, moved) => append(path, have, options, { signal, moved }));
}

async function append(
  path: string,
  have: number,
  { url, headers, progress }: FetchOptions,
  { signal, moved }: { signal: AbortSignal; moved: () => void },
): Promise<void> {
  const response = await fetch(url, { headers: { ...headers, ...(have > 0 && { Range: `bytes=${have}-` }) }, signal });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new HubStatusError(response.status, `${url} answered ${response.status}`);
  }
  const goesOn = have > 0 && response.status === 206;
  const handle = await open(path, goesOn ? 'a' : 'w');
  try {
    let received = goesOn ? have : 0;
    let counted = received;
    for await (const chunk of response.body) {
      const bytes = chunk as Uint8Array;
      await namingFile(path, () => handle.appendFile(bytes)); // unlike write, it writes all or throws
      progress((received += bytes.length));
      if (received - counted < STILL_BYTES) continue;
      counted = received;
      moved();
    }
  } finally {
    await handle.close();
  }
}

const sizeOf = async (path: string) => (await stat(path).catch(() => null))?.size ?? 0;

/** Computes the digest of a file; git hashes `blob SIZE\0` before the content. */
async function digestOf(path: string, { digest, size }: RemoteFile): Promise<string> {
  const hash = createHash(digest === 'git' ? 'sha1' : 'sha256');
  if (digest === 'git') hash.update(`blob ${size}\0`);
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
