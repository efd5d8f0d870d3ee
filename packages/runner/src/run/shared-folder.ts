// Checks that all ranks of a data-parallel run see the same folder, in which rank 0 writes files that the other ranks read.
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ranks } from '@bowyer/core';

const MARK = '.ranks';
/** The number of times that a rank looks for rank 0's file, since a network file system may show a new file late. */
const LOOKS = 20;
const LOOK_MS = 250;

/**
 * Checks that all ranks see the same folder: rank 0 writes a file, and the others look for it.
 *
 * @throws on every rank, if one of them does not see rank 0's file
 */
export async function checkSharedFolder(directory: string, ranks: Ranks): Promise<void> {
  if (ranks.size === 1) return;
  const mark = join(directory, MARK);
  const own = ranks.rank === 0 ? randomUUID() : '';
  if (ranks.rank === 0) await writeFile(mark, own);
  const [written] = ranks.gather(own);
  const blind = ranks.gather((await sees(mark, written)) ? null : hostname());
  await ranks.barrier();
  if (ranks.rank === 0) await rm(mark, { force: true });
  const rank = blind.findIndex((host) => host !== null);
  if (rank < 0) return;
  throw new Error(
    `rank ${rank} on ${blind[rank]} does not see the run's folder '${directory}'\n` +
      '  the processes need a common file system: give save_path=FOLDER on one that all machines mount, and warm_start.cache_dir too',
  );
}

async function sees(mark: string, written: string): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    if ((await readFile(mark, 'utf8').catch(() => '')) === written) return true;
    await sleep(LOOK_MS);
  }
  return false;
}
