// Runs a user's program as an agent: once per rollout, with the model server's address in environment variables.
import { rmSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { AgentTask } from '../play/agent-task.js';
import type { PlayedRollout, RunAgent } from '../play/run-agent.js';
import { runProgram } from './run-program.js';
import { verdictOfLine } from '../rewards/verdict.js';

export interface AgentProgramOptions {
  /** The shell command that starts the agent, such as `node my-agent.js`. */
  command: string;
  /** Names of further environment variables for the agent; all others are withheld, since they may hold secrets. */
  passEnv: readonly string[];
  /** The time limit of a rollout in milliseconds; 0: no limit. */
  timeoutMs: number;
  /** The folder for the programs' output; while a rollout runs, its task is a file in the subfolder `tasks`. */
  outputFolder: string;
}

/** Environment variables that every agent gets, since programs need them to start and to find their files. */
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

/**
 * Returns a function that runs the agent's program for a rollout. If the last line that the program prints is JSON, it contains
 * the reward. Task files that a killed run left behind are removed first.
 */
export function agentProgram({ command, passEnv, timeoutMs, outputFolder }: AgentProgramOptions): RunAgent {
  const taskFolder = join(outputFolder, 'tasks');
  rmSync(taskFolder, { recursive: true, force: true });
  return async (rollout, signal) => {
    const line = await withTaskFile(join(taskFolder, `${rollout.name}.json`), rollout.task, (taskFile) =>
      runProgram({
        command,
        env: { ...named([...PASSED, ...passEnv]), ...agentVariables(rollout), BOWYER_TASK_FILE: taskFile },
        outputFile: join(outputFolder, `${rollout.name}.txt`),
        timeoutMs,
        begun: rollout.begun,
        signal,
      }),
    );
    return verdictOfLine(line, `the last line of '${command}'`);
  };
}

/** Writes the task to a file, calls `work` with the file's path, and removes the file afterwards. */
async function withTaskFile<T>(file: string, task: AgentTask, work: (path: string) => Promise<T>): Promise<T> {
  const path = resolve(file);
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, JSON.stringify(task));
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** Returns those of the named environment variables that this process has. */
const named = (names: readonly string[]): Record<string, string | undefined> =>
  Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));

/** The largest size in bytes of an environment variable with its name in Linux (MAX_ARG_STRLEN). */
const LONGEST_VARIABLE = 128 * 1024;

/** Returns whether the JSON of a task fits into the environment variable BOWYER_TASK. */
export const fitsVariable = (task: AgentTask): boolean =>
  Buffer.byteLength(JSON.stringify(task)) < LONGEST_VARIABLE - 'BOWYER_TASK='.length;

/** Returns an agent's environment variables: those of OpenAI's and Anthropic's SDKs, the rollout, and the task if it fits. */
export const agentVariables = ({ task, open }: PlayedRollout): Record<string, string> => ({
  OPENAI_BASE_URL: open.baseURL,
  OPENAI_API_KEY: open.apiKey,
  ANTHROPIC_BASE_URL: open.anthropicBaseURL,
  ANTHROPIC_API_KEY: open.apiKey,
  BOWYER_ROLLOUT_URL: open.url,
  ...(fitsVariable(task) && { BOWYER_TASK: JSON.stringify(task) }),
});
