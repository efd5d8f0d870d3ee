// Makes an agent of the study: its functions and tasks as a user would have them, and tasks that only the judge plays.
import { Rng } from '@bowyer/core';
import type { AgentContext, AgentFunctions, AgentTask, PlayedTask } from '@bowyer/agents';
import type { Endpoint } from './chat.js';
import type { Example } from '../../examples/agents/common/example.js';
import { warmStart } from '../../examples/agents/common/warm-start.js';

export interface StudyAgent {
  name: string;
  /** Its special property, in a few words. */
  kind: string;
  /** Whether its start can become better. */
  hasRoom: boolean;
  /** All tasks that its user has: `trainAgent` holds some of them out by itself. */
  tasks: AgentTask[];
  /** Tasks that training never sees. */
  judgingTasks: AgentTask[];
  functions: AgentFunctions<AgentTask, unknown>;
  /** The same agent as it is judged: without the noise of its reward. */
  judgedFunctions: AgentFunctions<AgentTask, unknown>;
  /** Keys of `trainAgent` and of `evaluateAgent` that belong to this agent, and not to the way in which it is trained. */
  settings: Record<string, unknown>;
  /** Makes the model that its user has, unless it is there. @returns its folder */
  makeStart(folder: string): Promise<string>;
}

export type Answer<Task, Result> = (task: Task, endpoint: Endpoint) => Promise<Result>;

/** How an agent is described; the expert and its slips are the way to its start. */
export interface Description<Task, Result> {
  name: string;
  kind: string;
  /** True if not given. */
  hasRoom?: boolean;
  example: Example<Task, Result>;
  /** Plays a task. The expert is recorded with it too, and gives it an address and a key alone. */
  answer: Answer<Task, Result>;
  /** Standard deviation of the noise that is added to the reward in training; 0 if not given. */
  noise?: number;
  /** How many tasks its user has; 400 if not given. */
  taskCount?: number;
  /** The reward of a rollout that fails; 0 if not given. */
  failedReward?: number;
}

const JUDGED = 256;

/** Settings of all agents: one thread, and many rollouts beside each other. */
export const common = { threads: 1, concurrency: 32, slots: 32, attempts: 1 };

export function studyAgent<Task extends object, Result>(description: Description<Task, Result>): StudyAgent {
  const { name, kind, hasRoom = true, example, answer, noise = 0, taskCount = 400, failedReward = 0 } = description;
  const judgingTasks = drawn(example.draw, 'judging', JUDGED, []);
  const run = (task: AgentTask, context: AgentContext) => answer(task as AgentTask & Task, context);
  const reward = (task: AgentTask, { result }: PlayedTask<unknown>) =>
    example.reward(task as AgentTask & Task, result as Result);
  return {
    name,
    kind,
    hasRoom,
    tasks: drawn(example.draw, 'task', taskCount, judgingTasks),
    judgingTasks,
    functions: {
      run,
      reward: (task, played) => reward(task, played) + (noise === 0 ? 0 : noise * noiseOf(played)),
    },
    judgedFunctions: { run, reward },
    settings: { ...common, failedReward },
    makeStart: (folder) => warmStart(folder, example, (task, endpoint) => answer(task, endpoint)),
  };
}

/** Standard normal, the same for the same rollout with the same outcome, so that a resumed run has the same rewards. */
const noiseOf = ({ result, rollout }: PlayedTask<unknown>): number =>
  Rng.forPurpose(1, `noise/${rollout.id}/${JSON.stringify(result)}`).normal();

/** Different tasks, none of which holds the same as one of the others. */
function drawn<Task extends object>(
  draw: (rng: Rng) => Task,
  purpose: string,
  count: number,
  others: readonly AgentTask[],
): AgentTask[] {
  const rng = Rng.forPurpose(1, purpose);
  const seen = new Set(others.map(contentOf));
  const tasks: AgentTask[] = [];
  for (let tries = 0; tasks.length < count; tries++) {
    if (tries > 100 * count)
      throw new Error(`there are fewer than ${count} different tasks for the purpose ${purpose}`);
    const task = { ...draw(rng), id: `${purpose}-${tasks.length}` };
    const content = contentOf(task);
    if (seen.has(content)) continue;
    seen.add(content);
    tasks.push(task);
  }
  return tasks;
}

const contentOf = (task: object): string => JSON.stringify({ ...task, id: null });
