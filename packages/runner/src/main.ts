// Runs the command `bowyer`: the entry point of the process.
import { runCommandLine } from '@bowyer/config';
import { endWithParent } from './context/parent.js';
import { bowyer } from './program.js';
import { runOnRanks } from './ranks/run-on-ranks.js';

// A pipe that the reader closes early, as in `bowyer --cfg job | head`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  if (error.code !== 'EIO') throw error;
});
// Errors of a closed terminal (EIO) or pipe (EPIPE) are ignored. A run whose terminal was closed also gets SIGHUP and stops at
// its next checkpoint, and its log is also written to a file.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EIO' && error.code !== 'EPIPE') throw error;
});

endWithParent();
const [first, ...words] = process.argv.slice(2);
process.exitCode =
  first === 'init'
    ? await init(words)
    : await runOnRanks((leader) => runCommandLine(bowyer(process.argv.slice(2), leader)));

async function init(argv: readonly string[]): Promise<number> {
  const { initProject } = await import('./init/init-project.js');
  try {
    process.stdout.write(initProject(argv));
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 1;
  }
}
