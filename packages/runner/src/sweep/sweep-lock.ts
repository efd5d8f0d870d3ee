// One launcher for a sweep's folder at a time: two would start the same jobs in the same folders.
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@bowyer/config';

/**
 * Claims a sweep's folder for this process.
 *
 * @returns what gives it free again
 * @throws if another process that still runs has claimed it
 */
export async function lockSweep(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, 'sweep.lock');
  for (;;) {
    try {
      const file = await open(path, 'wx');
      await file.writeFile(`${process.pid}\n`);
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => '0'));
    if (holder !== process.pid && isRunning(holder)) {
      throw new ConfigError('sweep', `process ${holder} is running the sweep in ${directory} already`, [
        `wait for its end; if there is no such sweep any more, delete ${path}`,
      ]);
    }
    await rm(path, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
