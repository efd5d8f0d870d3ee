// Writes large files atomically in chunks; `writeFileAtomically` of @bowyer/core takes a single buffer.
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkHeld, namingFile } from '@bowyer/core';

/**
 * Writes `chunks` to `path` so that a reader sees either the old file or the complete new one. The folder is created if it is
 * missing; after a failure the temporary file is removed.
 */
export async function writeChunksAtomically(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await namingFile(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    try {
      const handle = await open(temporary, 'w');
      try {
        for await (const chunk of chunks) await writeFully(handle, chunk);
        await handle.sync();
      } finally {
        await handle.close();
      }
      checkHeld(path);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}

/** Writes all bytes. One `write` call may write fewer, and on Linux at most 2 GiB. */
async function writeFully(handle: Awaited<ReturnType<typeof open>>, bytes: Uint8Array): Promise<void> {
  const atMost = 2 ** 30;
  for (let offset = 0; offset < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, offset, Math.min(atMost, bytes.length - offset));
    offset += bytesWritten;
  }
}
