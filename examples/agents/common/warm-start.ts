// The model that an example begins with: the agent plays tasks at the scripted expert's endpoint, and a new model learns from the record.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import type { Agent, Example } from './example.js';
import { makeModel } from './make-model.js';
import { scriptedEndpoint, wholeDialogues, type Dialogue } from './scripted-endpoint.js';

/** @returns the folder of the model, which is made unless one of the same records and settings is there */
export async function warmStart<Task, Answer>(
  folder: string,
  example: Example<Task, Answer>,
  answer: Agent<Task, Answer>,
): Promise<string> {
  const dialogues = await recorded(example, answer);
  const made = JSON.stringify({ settings: example.warmStart, dialogues });
  const [key, model] = [join(folder, 'made-of.json'), join(folder, 'run/checkpoints/best')];
  if (existsSync(key) && readFileSync(key, 'utf8') === made) return model;
  await makeModel(folder, dialogues, example.warmStart);
  writeFileSync(key, made);
  return model;
}

/** @throws where the expert itself gets less than the whole reward */
async function recorded<Task, Answer>(
  example: Example<Task, Answer>,
  answer: Agent<Task, Answer>,
): Promise<Dialogue[]> {
  const endpoint = await scriptedEndpoint(example.expert);
  try {
    for (const task of recordedTasks(example)) {
      const reward = example.reward(task, await answer(task, endpoint));
      if (reward !== 1) throw new Error(`the expert gets the reward ${reward} for ${JSON.stringify(task)}`);
    }
    return wholeDialogues(endpoint.dialogues);
  } finally {
    await endpoint.close();
  }
}

function recordedTasks<Task, Answer>({ draw, isRecorded, warmStart }: Example<Task, Answer>): Task[] {
  const rng = Rng.forPurpose(1, 'records');
  const tasks: Task[] = [];
  while (tasks.length < warmStart.records) {
    const task = draw(rng);
    if (isRecorded(task, rng)) tasks.push(task);
  }
  return tasks;
}
