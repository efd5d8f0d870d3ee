// Opens the agents that play in a task: the programs of its config, or functions of a program that runs the task as a library.
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

/** The subfolder of a run's folder with the output of its programs. */
const OUTPUT = 'programs';

export interface Agents {
  tasks: SplitTasks;
  /** Whether the training tasks are the test tasks too. */
  shared: boolean;
  run: RunAgent;
  /** The number of agents that are started while others play. */
  startAhead: number;
  judge: JudgeRollout | null;
  /** Is called with each rollout that has ended. */
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

/** Waits for a function until its deadline, even if it ignores its abort signal. */
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
