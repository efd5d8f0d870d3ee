// Runs a program's command line in the test's process and captures what it prints.
import { runCommandLine, type CommandLine } from '../src/index.js';

interface ProgramAnswer {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command line in this process.
 *
 * @param root working directory; its folder `conf` holds the configs, `config` the primary one
 */
export async function runProgram(
  root: string,
  argv: readonly string[],
  program: Partial<CommandLine> = {},
): Promise<ProgramAnswer> {
  const answer: ProgramAnswer = { exitCode: -1, stdout: '', stderr: '' };
  answer.exitCode = await runCommandLine({
    programName: 'app',
    configDir: 'conf',
    configName: 'config',
    job: ({ composition, stdout }) => void stdout.write(composition.yaml),
    env: {},
    cwd: root,
    stdout: { write: (text) => (answer.stdout += text) },
    stderr: { write: (text) => (answer.stderr += text) },
    ...program,
    argv,
  });
  return answer;
}
