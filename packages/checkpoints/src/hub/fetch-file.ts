// Downloads a file of the Hugging Face hub to the local cache; continues interrupted downloads, and verifies the checksum.
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
  /** Called with the number of bytes of this file that have been downloaded so far. */
  progress: (bytes: number) => void;
  /** The wait before the first retry in seconds. It doubles with each retry. */
  pauseSeconds: number;
  /** A connection that makes almost no progress in this time, in milliseconds, is closed and retried. */
  stillMs?: number;
}

const STILL_MS = 60_000;
/** A connection that brings fewer bytes than this within `stillMs` has made no progress. */
const STILL_BYTES = 64 * 1024;

/** The number of attempts without a new byte after which the download fails. */
const ATTEMPTS = 5;

class HubStatusError extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
  }
}

export class ChecksumError extends Error {}

/** Downloads a file, or continues a download. @param blob the result's path; `BLOB.incomplete` has the downloaded part */
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
      // A connection that was closed for lack of progress counts as a failure, even if it brought a few bytes.
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

/** Appends the bytes from offset `have` on; a server that ignores the range sends the file from byte 0. */
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
      await namingFile(path, () => handle.appendFile(bytes)); // unlike `write`, it writes everything or throws
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

/** Returns the digest of a file. git hashes `blob SIZE\0` before the content. */
async function digestOf(path: string, { digest, size }: RemoteFile): Promise<string> {
  const hash = createHash(digest === 'git' ? 'sha1' : 'sha256');
  if (digest === 'git') hash.update(`blob ${size}\0`);
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
