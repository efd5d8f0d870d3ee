// Runs the command line in this process, since a separate process spends most of its time on its start.
import { runCommandLine } from '@bowyer/config';
import { bowyer } from '../src/program.js';
import { repository, type Ended, type RunOptions } from './command-line.js';

/**
 * Does what `run` does, without a process. A command that is killed, reads what is typed, loads a plugin, or is compared byte by byte with a
 * run that was killed, needs `run`; so does one that starts a device in a folder that an earlier test has removed, since esbuild keeps
 * the working directory of its first use.
 */
export async function runHere(
  args: readonly string[],
  { cwd = repository, env = {} }: Pick<RunOptions, 'cwd' | 'env'> = {},
): Promise<Omit<Ended, 'signal'>> {
  const printed = { stdout: '', stderr: '' };
  const home = process.cwd();
  const environment = { ...process.env };
  process.chdir(cwd);
  Object.assign(process.env, env);
  try {
    const code = await runCommandLine({
      ...bowyer(args),
      stdout: { write: (text: string) => (printed.stdout += text) },
      stderr: { write: (text: string) => (printed.stderr += text) },
    });
    return { code, ...printed };
  } finally {
    process.chdir(home);
    for (const name of Object.keys(env)) {
      if (environment[name] === undefined) delete process.env[name];
      else process.env[name] = environment[name];
    }
  }
}
