// Runs a judge that is a program of the user: it reads a recorded rollout as JSON, and prints the rollout's reward.
import { join } from 'node:path';
import type { JudgeRollout } from '../play/run-agent.js';
import { runProgram } from './run-program.js';
import { verdictOfLine } from '../rewards/verdict.js';

export interface JudgeProgramOptions {
  /** The shell command that starts the judge, such as `node judge.js`. */
  command: string;
  timeoutMs: number;
  /** The folder for the output files of the judge's programs. */
  outputFolder: string;
}

/** Returns a function that runs the judge's program with this process's variables; it reads `{task, rollout}` from stdin. */
export function judgeProgram({ command, timeoutMs, outputFolder }: JudgeProgramOptions): JudgeRollout {
  return async ({ name, task }, recorded, signal) => {
    const line = await runProgram({
      command,
      env: process.env,
      input: `${JSON.stringify({ task, rollout: recorded })}\n`,
      outputFile: join(outputFolder, `${name}.judge.txt`),
      timeoutMs,
      signal,
    });
    const verdict = verdictOfLine(line, `the last line of '${command}'`);
    if (verdict.reward !== undefined) return verdict;
    throw new Error(
      `'${command}' printed no reward: its last line must be a number or {"reward": …}, and is ${JSON.stringify(line)}`,
    );
  };
}
