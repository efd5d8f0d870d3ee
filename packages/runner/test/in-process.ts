// The command line in this process, for what is refused before a task begins: a process of its own spends most of its time on its start.
import { runCommandLine } from '@bowyer/config';
import { bowyer } from '../src/program.js';
import { repository, type Ended } from './command-line.js';

/** Does what `run` does in the repository's root, without a process. */
export async function runHere(args: readonly string[]): Promise<Omit<Ended, 'signal'>> {
  const printed = { stdout: '', stderr: '' };
  const home = process.cwd();
  process.chdir(repository);
  try {
    const code = await runCommandLine({
      ...bowyer(args),
      stdout: { write: (text: string) => (printed.stdout += text) },
      stderr: { write: (text: string) => (printed.stderr += text) },
    });
    return { code, ...printed };
  } finally {
    process.chdir(home);
  }
}
