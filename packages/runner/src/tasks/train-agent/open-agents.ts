// The agents that play in a task: the programs of its config, or functions of whoever runs the task as a library.
import { join } from 'node:path';
import {
  agentProgram,
  judgeProgram,
  readTasks,
  splitTasks,
  type JudgeRollout,
  type RunAgent,
  type SplitTasks,
} from '@bowyer/rollouts';
import { withDeadline } from '@bowyer/core';
import type { TaskContext } from '../../context/task-context.js';
import type { AgentTaskConfig } from './agent-keys.js';

/** Folder of a run with what its programs have printed. */
const OUTPUT = 'programs';

export interface Agents {
  tasks: SplitTasks;
  /** The tests play the tasks of training. */
  shared: boolean;
  run: RunAgent;
  judge: JudgeRollout | null;
}

type AgentsConfig = Pick<
  AgentTaskConfig,
  'agent' | 'tasks' | 'evalTasks' | 'testTasks' | 'evalShare' | 'testShare' | 'reward' | 'timeout' | 'passEnv'
>;

export async function openAgents(config: AgentsConfig, { directory, agent }: TaskContext): Promise<Agents> {
  const { evalTasks, testTasks, evalShare, testShare, reward, passEnv } = config;
  const read = (file: string | null) => (file === null ? null : readTasks(file));
  const held = { evalTasks: await read(evalTasks), testTasks: await read(testTasks), evalShare, testShare };
  const common = { timeoutMs: config.timeout * 1000, outputFolder: join(directory, OUTPUT) };
  return {
    tasks: splitTasks(await readTasks(config.tasks!), held),
    shared: held.testTasks === null && testShare === 0,
    run: agent ? timedRun(agent.run, common.timeoutMs) : agentProgram({ ...common, command: config.agent!, passEnv }),
    judge: agent ? (agent.judge ?? null) : reward === null ? null : judgeProgram({ ...common, command: reward }),
  };
}

/** A function that does not heed its signal is left behind. */
const timedRun =
  (run: RunAgent, timeoutMs: number): RunAgent =>
  (rollout, signal) =>
    withDeadline(timeoutMs, signal, (ended) => Promise.race([run(rollout, ended), rejectedBy(ended)]));

const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
