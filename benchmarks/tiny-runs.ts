// Runs that take seconds, for the suites of reliability: their command, their CPU time without disturbances, and the comparison of
// what they leave.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '@bowyer/testing';
import { run, type RunOptions } from '../packages/runner/test/command-line.js';
import { cpuMsOf } from './cpu-time.js';

/** The words of a tiny run on the game `tabular`, to which the algorithm and its options are added. */
export const tinyGame: readonly string[] = [
  '--config-name',
  'archer_20q',
  'env=tabular',
  'preset=exact_game',
  'slots=8',
  'threads=1',
  'demonstrations.count=48',
  'policy.n_embd=16',
  'eval_size=8',
  'test_size=8',
];

/**
 * Makes a run without disturbances.
 *
 * @returns its CPU time, in milliseconds
 * @throws if it does not end with exit code 0
 */
export async function undisturbed(args: readonly string[], env?: RunOptions['env']): Promise<number> {
  let cpuMs = 0;
  const watch = (pid: number) => ((cpuMs = Math.max(cpuMs, cpuMsOf(pid))), false);
  const { code, stderr } = await run(args, { program: builtProgram(), killWhen: watch, env });
  if (code !== 0) throw new Error(`a run fails undisturbed: ${stderr}`);
  return cpuMs;
}

/** Lists the files that must have the same bytes in each repetition of a run: those without times. */
export const resultFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      /(metrics\.(jsonl|csv)|results\.json|\.safetensors|demonstrations\.json|trajectories\/.*\.jsonl)$/.test(file) &&
      statSync(join(folder, file)).isFile(),
  );

/** Lists the result files of a folder that are missing or different in another one. */
export const differentFiles = (whole: string, other: string): string[] =>
  resultFiles(whole).filter((file) => {
    const path = join(other, file);
    return !existsSync(path) || !readFileSync(path).equals(readFileSync(join(whole, file)));
  });

/** Sends SIGKILL. @returns whether the process was alive */
export function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false; // the process had already ended
  }
}

/** Prints the problems that a suite has found, and fails if there are any. */
export function report(problems: readonly string[]): void {
  for (const problem of new Set(problems)) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}
