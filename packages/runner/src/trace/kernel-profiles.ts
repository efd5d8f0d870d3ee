// Reads the profiles that ONNX Runtime writes about the first runs of each session: how long each operator took.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface KernelRun {
  /** The ONNX operator, such as MatMul. */
  operator: string;
  node: string;
  /** In milliseconds since the epoch. */
  start: number;
  milliseconds: number;
}

interface ProfileEvent {
  cat: string;
  name: string;
  ts: number;
  dur: number;
  args?: { op_name?: string };
}

const MICROSECONDS = 1000;

/** Yields the runs of operators from the profile files in a folder. An incomplete file is skipped. */
export async function* kernelRuns(folder: string): AsyncGenerator<KernelRun> {
  for (const file of await readdir(folder)) {
    // The file name contains the time when the session was opened, to which the times in the file are relative.
    const origin = Number(/^[\d.]+(?=_)/.exec(file)?.[0]);
    for (const { cat, name, ts, dur, args } of await eventsOf(join(folder, file))) {
      if (cat !== 'Node' || !name.endsWith('_kernel_time') || args?.op_name === undefined) continue;
      const node = name.slice(0, -'_kernel_time'.length);
      yield { operator: args.op_name, node, start: origin + ts / MICROSECONDS, milliseconds: dur / MICROSECONDS };
    }
  }
}

async function eventsOf(path: string): Promise<ProfileEvent[]> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ProfileEvent[];
  } catch {
    return [];
  }
}
