// Reads an agent's tasks from JSON lines, and divides them into sets for training, evaluations, and the final test.
import { readProblem, readTextLines, repeatedKeyProblem, Rng } from '@bowyer/core';
import type { Split } from '@bowyer/envs';
import { parseJson } from '@bowyer/text';
import type { AgentTask } from './agent-task.js';
import { containsTraces, tasksOfTraces } from './tasks-of-traces.js';

export type SplitTasks<Task extends AgentTask = AgentTask> = Record<Split, readonly Task[]>;

/** Reads a file of tasks, or of traces, whose first messages become tasks. @throws for a line without an `id`, and equal ids */
export async function readTasks(file: string): Promise<AgentTask[]> {
  const tasks: AgentTask[] = [];
  try {
    if (await containsTraces(file)) return await tasksOfTraces(file);
    for await (const { text, line } of readTextLines(file))
      if (text.trim() !== '') tasks.push(taskOfLine(text, `${file}: line ${line}`));
  } catch (error) {
    const problem = error as NodeJS.ErrnoException;
    if (problem.code === undefined) throw error;
    const isAbsent = problem.code === 'ENOENT';
    throw new Error(isAbsent ? `there is no file ${file}` : `cannot read ${file}: ${readProblem(problem)}`);
  }
  checkTasks(tasks, file);
  return tasks;
}

function taskOfLine(text: string, place: string): AgentTask {
  let value: unknown;
  let twice: string | null = null;
  try {
    value = parseJson(text, (key) => (twice ??= key));
  } catch (error) {
    throw new Error(`${place} is not JSON: ${(error as Error).message}`);
  }
  if (twice !== null) throw new Error(`${place} ${repeatedKeyProblem(twice)}`);
  const id = (value as { id?: unknown } | null)?.id;
  if (typeof id === 'string' || typeof id === 'number') return { ...(value as object), id: String(id) };
  throw new Error(`${place} is not an object with an 'id'`);
}

/** Checks that there are tasks and that their ids differ. @throws if there are none, or two have the same id */
export function checkTasks(tasks: readonly AgentTask[], place: string): void {
  if (tasks.length === 0) throw new Error(`${place}: there are no tasks`);
  const seen = new Set<string>();
  for (const [i, { id }] of tasks.entries()) {
    if (typeof id !== 'string')
      throw new Error(
        `${place}: the id of task ${i} is ${JSON.stringify(id)}; give each task a text of its own as its id`,
      );
    if (seen.has(id)) throw new Error(`${place}: two tasks have the id '${id}'`);
    seen.add(id);
  }
}

/** The tasks of evaluations and the final test, not used for training: lists, or shares that are selected by ids. */
export interface HeldOut<Task extends AgentTask = AgentTask> {
  evalTasks: readonly Task[] | null;
  testTasks: readonly Task[] | null;
  evalShare: number;
  testShare: number;
}

/**
 * Divides tasks by their ids. The tasks of evaluations and of the test are sorted by a hash of their ids, even if they are given
 * as lists, so that an evaluation with fewer rollouts than tasks plays a random sample. A set without a list and with a share of
 * 0 consists of the training tasks.
 *
 * @throws if no task would be left to train on
 */
export function splitTasks<Task extends AgentTask>(tasks: readonly Task[], held: HeldOut<Task>): SplitTasks<Task> {
  const ranked = rankedById(tasks);
  const countOf = (given: readonly Task[] | null, share: number) =>
    given !== null || share === 0 ? 0 : Math.max(1, Math.round(share * tasks.length));
  const tested = countOf(held.testTasks, held.testShare);
  const evaluated = countOf(held.evalTasks, held.evalShare);
  const heldOut = new Set(ranked.slice(0, tested + evaluated));
  const train = tasks.filter((task) => !heldOut.has(task));
  if (train.length === 0)
    throw new Error(
      `${tasks.length} tasks, of which ${tested} are held out for the test and ${evaluated} for evaluations: none is left to train on\n` +
        '  give more tasks, smaller shares (task.test_share, task.eval_share), or files of their own: task.eval_tasks=FILE task.test_tasks=FILE',
    );
  const own = (given: readonly Task[] | null, start: number, count: number) =>
    given ? rankedById(given) : count > 0 ? ranked.slice(start, start + count) : train;
  return {
    train,
    eval: own(held.evalTasks, tested, evaluated),
    test: own(held.testTasks, 0, tested),
  };
}

/** Sorts tasks by a random number that is seeded with the task's id, so that tasks with similar ids do not stay together. */
function rankedById<Task extends AgentTask>(tasks: readonly Task[]): Task[] {
  const ranks = new Map(tasks.map((task) => [task, Rng.forPurpose(0, `split/${task.id}`).uint32()]));
  return [...tasks].sort((one, other) => ranks.get(one)! - ranks.get(other)! || (one.id < other.id ? -1 : 1));
}

/** Returns an episode's task. Training reorders all tasks in each pass over them; an evaluation keeps their order. */
export function taskOf<Task extends AgentTask>(
  tasks: readonly Task[],
  { split, group, seed }: { split: Split; group: number; seed: number },
): Task {
  const at = group % tasks.length;
  if (split !== 'train') return tasks[at];
  const pass = Math.floor(group / tasks.length);
  return Rng.forPurpose(seed, `tasks/${pass}`).shuffle(tasks)[at];
}
