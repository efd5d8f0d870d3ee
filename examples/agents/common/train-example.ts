// Trains the agent of an example with one seed, as a function in this process or as a separate program.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Rng } from '@bowyer/core';
import { trainAgent } from '@bowyer/agents';
import type { Agent, Example } from './example.js';

const GROUP = 8;
const root = resolve(import.meta.dirname, '../../..');

export interface SeededRun {
  /** The folder of the model to start from. */
  model: string;
  savePath: string;
  seed: number;
  /** Whether to train for a third of the iterations, with half of the held-out tasks. */
  short: boolean;
  log: (line: string) => void;
}

/** Trains an agent that is a function, with `trainAgent`. */
export async function trainFunction<Task extends object, Answer>(
  example: Example<Task, Answer>,
  answer: Agent<Task, Answer>,
  { short, ...run }: SeededRun,
): Promise<void> {
  await trainAgent({
    ...run,
    ...tasksOf(example, short),
    ...settingsOf(example, short),
    run: (task, endpoint) => answer(task, endpoint),
    reward: (task, { result }) => example.reward(task, result),
  });
}

/** Trains an agent that is a program: `npx bowyer --config-name train_agent agent=COMMAND …`. */
export async function trainProgram<Task extends object, Answer>(
  example: Example<Task, Answer>,
  command: string,
  { model, savePath, seed, short, log }: SeededRun,
): Promise<void> {
  // The tasks' folder is next to the run's folder, which must be empty.
  const folder = `${savePath}-tasks`;
  mkdirSync(folder, { recursive: true });
  const files = Object.entries(tasksOf(example, short)).map(([name, tasks]) => {
    const file = join(folder, `${name}.jsonl`);
    writeFileSync(file, tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
    return [name, file];
  });
  const settings = {
    ...Object.fromEntries(files),
    ...settingsOf(example, short),
    agent: command,
    model,
    savePath,
    seed,
  };
  const given = Object.entries(settings).map(([key, value]) => `${snakeCase(key)}=${JSON.stringify(value)}`);
  const program = ['--conditions=source', '--import', 'tsx', 'packages/runner/src/main.ts'];
  log(`bowyer --config-name train_agent ${given.join(' ')}`);
  const all = [...program, '--config-name', 'train_agent', ...given];
  const child = spawn(process.execPath, all, { cwd: root, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`train_agent ended with ${code}`);
}

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns settings of the config train_agent, in camelCase. */
function settingsOf({ training }: Pick<Example<object, unknown>, 'training'>, short: boolean) {
  const { iterations, lmLr, groups = 8 } = training;
  return {
    iterations: short ? Math.ceil(iterations / 3) : iterations,
    lmLr,
    // With a constant rate, the model gets worse again once most groups get the full reward.
    lmLrFinalShare: 0.1,
    rolloutSize: groups * GROUP,
    groupSize: GROUP,
    // An update takes little time compared with the rollouts, so each rollout is learned from in four passes.
    innerEpochs: 4,
    minibatchSize: 32,
    evalFreq: 4,
    evalSize: heldOut(short),
    testSize: 2 * heldOut(short),
    saveFreq: 4,
    concurrency: 32,
    slots: 32,
    threads: 1,
    // If a framework stops an agent, as after too many turns, the agent has not solved its task.
    attempts: 1,
    failedReward: 0,
  };
}

/** The number of tasks of an evaluation. */
const heldOut = (short: boolean): number => (short ? 32 : 64);

function tasksOf<Task extends object>({ draw }: { draw(rng: Rng): Task }, short: boolean) {
  const testTasks = drawn(draw, 'test', 2 * heldOut(short));
  const evalTasks = drawn(draw, 'eval', heldOut(short), testTasks);
  return { tasks: drawn(draw, 'train', 1024, [...testTasks, ...evalTasks]), evalTasks, testTasks };
}

/** Draws tasks, of which none is in another set. */
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
