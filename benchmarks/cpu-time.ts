// Reads the CPU time of a process from Linux' /proc.
import { readFileSync } from 'node:fs';

/** A clock tick, in milliseconds: `getconf CLK_TCK` is 100 on Linux. */
const TICK = 10;

/**
 * Returns the CPU time of a process.
 *
 * @returns milliseconds of all threads; 0 if the process does not exist
 */
export function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name may contain spaces
    return TICK * (Number(fields[11]) + Number(fields[12])); // utime and stime
  } catch {
    return 0;
  }
}
