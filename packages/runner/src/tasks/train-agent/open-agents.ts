// Opens the agent that plays in a task: a command that the config names, or a function of the program that runs the task as a
// library.
import { join } from 'node:path';
import {
  agentProgram,
  fitsVariable,
  judgeProgram,
  readTasks,
  splitTasks,
  type AgentTask,
  type JudgeRollout,
  type RecordedRollout,
  type RunAgent,
  type SplitTasks,
} from '@bowyer/rollouts';
import { DeadlineError, withDeadline } from '@bowyer/core';
import type { TaskContext } from '../../context/task-context.js';
import type { AgentOptions } from './agent-keys.js';
import { isFunction, type GivenAgent } from '../../context/given-agent.js';

/** The subfolder of a run in which the output of the agent's command is stored. */
const OUTPUT = 'programs';

export interface Agents {
  tasks: SplitTasks;
  /** Whether the test is played on the training tasks, because there are no others. */
  shared: boolean;
  run: RunAgent;
  /** The number of agent processes that are started in advance, while others play. */
  startAhead: number;
  judge: JudgeRollout | null;
  /** Is called with each recorded rollout when it has ended. */
  onRollout?: (rollout: RecordedRollout) => void;
}

type AgentsConfig = Pick<
  AgentOptions,
  | 'agent'
  | 'tasks'
  | 'evalTasks'
  | 'testTasks'
  | 'evalShare'
  | 'testShare'
  | 'reward'
  | 'startAhead'
  | 'timeout'
  | 'passEnv'
>;

export async function openAgents(config: AgentsConfig, { directory, log, agent: given }: TaskContext): Promise<Agents> {
  const { agent, reward, evalShare, testShare, passEnv, startAhead } = config;
  if (isFunction(agent) && given === undefined)
    throw new Error(
      'the agent of this run is a function of a program\n  start that program again, or give a command: task.agent=COMMAND',
    );
  const { tasks, evalTasks, testTasks } = given ?? (await filesOf(config));
  if (!given)
    noteLongTasks(
      [tasks, evalTasks, testTasks].flatMap((part) => part ?? []),
      log,
    );
  const held = { evalTasks: evalTasks ?? null, testTasks: testTasks ?? null, evalShare, testShare };
  const common = { timeoutMs: config.timeout * 1000, outputFolder: join(directory, OUTPUT) };
  const judge = reward === null ? null : judgeProgram({ ...common, command: reward });
  return {
    tasks: splitTasks(tasks, held),
    shared: held.testTasks === null && testShare === 0,
    startAhead,
    run: given ? timedRun(given.run, common.timeoutMs) : agentProgram({ ...common, command: agent!, passEnv }),
    judge: given ? timedJudge(given.judge, common.timeoutMs) : judge,
  };
}

function noteLongTasks(tasks: readonly AgentTask[], log: TaskContext['log']): void {
  const long = tasks.filter((task) => !fitsVariable(task));
  if (long.length === 0) return;
  const [{ id }] = long;
  const which = long.length === 1 ? `the task '${id}' is` : `${long.length} tasks, the first of them '${id}', are`;
  log(`${which} too long for BOWYER_TASK: the agent reads the file that BOWYER_TASK_FILE names`, 'WARNING');
}

async function filesOf({ tasks, evalTasks, testTasks }: AgentsConfig): Promise<Omit<GivenAgent, 'run'>> {
  const read = (file: string | null) => (file === null ? undefined : readTasks(file));
  return { tasks: await readTasks(tasks!), evalTasks: await read(evalTasks), testTasks: await read(testTasks) };
}

const timedRun =
  (run: RunAgent, timeoutMs: number): RunAgent =>
  (rollout, signal) =>
    leftBehind('run', timeoutMs, signal, (ended) => run(rollout, ended), rollout.begun);

const timedJudge = (judge: JudgeRollout | undefined, timeoutMs: number): JudgeRollout | null =>
  judge === undefined
    ? null
    : (rollout, recorded, signal) =>
        leftBehind('reward', timeoutMs, signal, (ended) => judge(rollout, recorded, ended));

/** Waits for a function until its deadline or until the signal is aborted, even if the function itself does not stop then. */
const leftBehind = <T>(
  name: string,
  timeoutMs: number,
  signal: AbortSignal,
  work: (ended: AbortSignal) => Promise<T>,
  begun?: Promise<void>,
) =>
  withDeadline(timeoutMs, signal, (ended) => Promise.race([work(ended), rejectedBy(ended)]), begun).catch(
    (error: unknown) => {
      throw error instanceof DeadlineError
        ? new Error(`${name} did not end within ${timeoutMs / 1000} s (timeout)`, { cause: error })
        : error;
    },
  );

const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
