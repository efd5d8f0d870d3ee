// Trains the agent of an example with one seed.
import { Rng } from '@bowyer/core';
import { trainAgent, type TrainedAgent } from '@bowyer/agents';
import type { Agent, Example } from './example.js';

const GROUP = 8;

interface SeededRun {
  /** The folder of the model to start from. */
  model: string;
  savePath: string;
  seed: number;
  /** A third of the iterations, with half of the held-out tasks. */
  short: boolean;
  log: (line: string) => void;
}

export async function trainExample<Task extends object, Answer>(
  { example, answer }: { example: Example<Task, Answer>; answer: Agent<Task, Answer> },
  { model, savePath, seed, short, log }: SeededRun,
): Promise<TrainedAgent> {
  const heldOut = short ? 64 : 128;
  const { iterations, lmLr } = example.training;
  const testTasks = drawn(example.draw, 'test', 2 * heldOut);
  const evalTasks = drawn(example.draw, 'eval', heldOut, testTasks);
  return trainAgent({
    model,
    savePath,
    seed,
    log,
    tasks: drawn(example.draw, 'train', 1024, [...testTasks, ...evalTasks]),
    evalTasks,
    testTasks,
    run: (task, endpoint) => answer(task, endpoint),
    reward: (task, { result }) => example.reward(task, result),
    rolloutSize: 8 * GROUP,
    groupSize: GROUP,
    evalFreq: 10,
    evalSize: heldOut,
    testSize: 2 * heldOut,
    saveFreq: 10,
    // An update costs little beside the rollouts: each is learned from in four passes.
    innerEpochs: 4,
    minibatchSize: 32,
    concurrency: 32,
    slots: 32,
    threads: 1,
    // An agent that a framework gives up, as after too many turns, has not solved its task.
    attempts: 1,
    failedReward: 0,
    iterations: short ? Math.ceil(iterations / 3) : iterations,
    lmLr,
  });
}

/** Tasks of a purpose; none of the others that hold the same. */
function drawn<Task extends object>(
  draw: (rng: Rng) => Task,
  purpose: string,
  count: number,
  others: readonly object[] = [],
): (Task & { id: string })[] {
  const rng = Rng.forPurpose(1, purpose);
  const seen = new Set(others.map(contentOf));
  const tasks: (Task & { id: string })[] = [];
  while (tasks.length < count) {
    const task = { ...draw(rng), id: `${purpose}-${tasks.length}` };
    if (!seen.has(contentOf(task))) tasks.push(task);
  }
  return tasks;
}

const contentOf = (task: object): string => JSON.stringify({ ...task, id: null });
