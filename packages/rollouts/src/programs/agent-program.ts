// An agent that is a program: started once for each rollout, with the addresses of its model in the environment.
import { join } from 'node:path';
import type { PlayedRollout, RunAgent } from '../play/run-agent.js';
import { runProgram } from './run-program.js';
import { verdictOfLine } from '../rewards/verdict.js';

export interface AgentProgramOptions {
  /** A line for the shell, such as `node my-agent.js`. */
  command: string;
  /** Names of further variables that it gets from this process; secrets and settings of others stay here. */
  passEnv: readonly string[];
  /** 0: none. */
  timeoutMs: number;
  /** Each rollout's output is a file in it; null: it is not kept. */
  outputFolder: string | null;
}

/** Needed by any program to be found and to find its files. */
const PASSED = [
  'PATH',
  'HOME',
  'USER',
  'SHELL',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SYSTEMROOT',
  'COMSPEC',
];

/** The reward is in the JSON of its last line, if it is there. */
export function agentProgram({ command, passEnv, timeoutMs, outputFolder }: AgentProgramOptions): RunAgent {
  return async (rollout, signal) => {
    const line = await runProgram({
      command,
      env: { ...named([...PASSED, ...passEnv]), ...agentVariables(rollout) },
      outputFile: outputFolder && join(outputFolder, `${rollout.name}.txt`),
      timeoutMs,
      signal,
    });
    return verdictOfLine(line, `the last line of '${command}'`);
  };
}

const named = (names: readonly string[]): Record<string, string | undefined> =>
  Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));

/** The variables that the SDKs of OpenAI and Anthropic read, and the task. */
export const agentVariables = ({ task, open }: PlayedRollout): Record<string, string> => ({
  OPENAI_BASE_URL: open.baseURL,
  OPENAI_API_KEY: open.apiKey,
  ANTHROPIC_BASE_URL: open.anthropicBaseURL,
  ANTHROPIC_API_KEY: open.apiKey,
  BOWYER_ROLLOUT_URL: open.url,
  BOWYER_TASK: JSON.stringify(task),
});
