// Makes the initial model of an example: the agent plays tasks with the scripted expert as its endpoint, and a new model learns
// the recorded dialogues.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import type { Agent, Example } from './example.js';
import { makeModel } from './make-model.js';
import { renamed } from './renamed.js';
import { scriptedEndpoint, wholeDialogues, type Dialogue } from './scripted-endpoint.js';

/** The part of an example that its initial model needs. */
export type Recorded<Task, Answer> = Omit<Example<Task, Answer>, 'training'>;

/** @returns the folder of the model, which is made unless there is one with the same records and settings */
export async function warmStart<Task, Answer>(
  folder: string,
  example: Recorded<Task, Answer>,
  answer: Agent<Task, Answer>,
): Promise<string> {
  const { names, warmStart } = example;
  const rng = Rng.forPurpose(1, 'names');
  const dialogues = (await recorded(example, answer)).flatMap((dialogue) => [
    dialogue,
    ...Array.from({ length: warmStart.copies }, () => renamed(dialogue, names, rng)),
  ]);
  const made = JSON.stringify({ settings: example.warmStart, dialogues });
  const [key, model] = [join(folder, 'made-of.json'), join(folder, 'run/checkpoints/best')];
  if (existsSync(key) && readFileSync(key, 'utf8') === made) return model;
  await makeModel(folder, dialogues, example.warmStart);
  writeFileSync(key, made);
  return model;
}

/** The number of tasks that the expert must solve without a mistake, before dialogues with mistakes are recorded. */
const CHECKED = 8;

/** @throws if the expert gets less than the full reward */
async function recorded<Task, Answer>(
  { draw, expert, slip, reward, warmStart, isSolved = (got) => got === 1 }: Recorded<Task, Answer>,
  answer: Agent<Task, Answer>,
): Promise<Dialogue[]> {
  const rng = Rng.forPurpose(1, 'records');
  let carelessness = 0;
  const endpoint = await scriptedEndpoint((messages, tools) => {
    const slipped = rng.uniform() < carelessness ? slip(messages, tools, rng) : null;
    return slipped ?? expert(messages, tools);
  });
  try {
    for (let i = 0; i < CHECKED; i++) {
      const task = draw(rng);
      const got = reward(task, await answer(task, endpoint));
      if (!isSolved(got)) throw new Error(`the expert gets the reward ${got} for ${JSON.stringify(task)}`);
    }
    ({ carelessness } = warmStart);
    const dialogues: Dialogue[] = [];
    for (let i = 0; i < warmStart.records; i++) {
      const before = endpoint.dialogues.length;
      await answer(draw(rng), endpoint);
      // If two tasks have equal dialogues, both are kept, so that the model makes mistakes as often as the expert.
      dialogues.push(...wholeDialogues(endpoint.dialogues.slice(before)));
    }
    return dialogues;
  } finally {
    await endpoint.close();
  }
}
