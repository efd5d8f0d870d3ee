// Makes the first model of an example: the agent plays tasks with the scripted expert as its endpoint, and a new model learns the
// recorded dialogues.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordAgent, startModel, type AgentTask, type StartDialogue } from '@bowyer/agents';
import { Rng } from '@bowyer/core';
import type { Agent, Example } from './example.js';
import { scriptedEndpoint } from './scripted-endpoint.js';

export const drawTasks = <Task extends object>(
  { draw }: { draw(rng: Rng): Task },
  purpose: string,
  count: number,
): (Task & AgentTask)[] => {
  const rng = Rng.forPurpose(1, purpose);
  return Array.from({ length: count }, (_, i) => ({ ...draw(rng), id: `${purpose}-${i}` }));
};

/** @returns the folder of the model, which is made unless it is there */
export async function warmStart<Task extends object, Answer>(
  folder: string,
  example: Example<Task, Answer>,
  answer: Agent<Task, Answer>,
): Promise<string> {
  const { names, warmStart, expert, slip, reward } = example;
  const { records, carelessness, copies, ...settings } = warmStart;
  const model = join(folder, 'start');
  if (existsSync(model)) return model;
  const rng = Rng.forPurpose(1, 'records');
  const endpoint = await scriptedEndpoint((messages, tools) => {
    const slipped = rng.uniform() < carelessness ? slip(messages, tools, rng) : null;
    return slipped ?? expert(messages, tools);
  });
  const { conversations, failures } = await recordAgent<Task & AgentTask, Answer>({
    upstream: endpoint.baseURL,
    tasks: drawTasks(example, 'records', records),
    run: answer,
    reward: (task, { result }) => reward(task, result),
    concurrency: 1,
    savePath: join(folder, 'record'),
  });
  await endpoint.close();
  if (failures.length > 0) throw failures[0].error;
  const lines = readFileSync(conversations, 'utf8').trim().split('\n');
  const data = lines.flatMap((line) =>
    Array.from({ length: 1 + copies }, (_, i) => renamed(line, i === 0 ? [] : names, rng)),
  );
  const options = { ...settings, validationShare: 0, saveMinutes: 60, threads: 1 };
  return (await startModel({ data, savePath: model, ...options })).model;
}

/**
 * Reads a dialogue with the names of each set exchanged, each name by the same other one everywhere, so that a small model learns
 * to copy names and does not memorize them.
 *
 * @param names sets of words or digits that may replace each other, such as kinds of fruit
 */
function renamed(line: string, names: readonly (readonly string[])[], rng: Rng): StartDialogue {
  const other = new Map<string, string>();
  for (const set of names) {
    const shuffled = rng.shuffle(set);
    set.forEach((name, i) => other.set(name, shuffled[i]));
  }
  const rename = (text: string) => text.replace(/\p{L}+|\d/gu, (word) => other.get(word) ?? word);
  return JSON.parse(line, (_, value: unknown) => (typeof value === 'string' ? rename(value) : value)) as StartDialogue;
}
