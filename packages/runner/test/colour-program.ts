// Makes a model that writes colours, and a program that asks it for one, as users write them: a folder with both and with tasks.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';

const colours = ['red', 'green', 'blue', 'black'];
const template =
  '{% for m in messages %}[start] {{ m.role }} {{ m.content }}[end]{% endfor %}{% if add_generation_prompt %}[start] assistant{% endif %}';

/** An agent that asks the model for the task's colour, and gets a reward for the answer red; it crashes for the task `broken`. */
const agent = `
const task = JSON.parse(process.env.BOWYER_TASK);
if (task.id === 'broken') process.exit(3);
const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY },
  body: JSON.stringify({ model: 'gpt-4o', max_tokens: 1, messages: [{ role: 'user', content: 'say ' + task.shown }] }),
});
const { choices } = await response.json();
console.log(JSON.stringify({ reward: choices[0].message.content.trim() === 'red' ? 1 : 0, metrics: { asked: 1 } }));
`;

/**
 * Writes a model, a program and its tasks.
 *
 * @param others further tasks, after one for each of four colours
 * @returns a new folder with `model`, `agent.mjs` and `tasks.jsonl`
 */
export async function colourProgram(others: readonly { id: string }[] = []): Promise<string> {
  const folder = newFolder();
  const tokenizer = wordLevelTokenizer([`user assistant say a b x\n${colours.join(' ')}`], {
    wholeTokens: ['[start]', '[end]'],
  });
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 64 };
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(2) });
  await model.save(join(folder, 'model'));
  await device.close();
  await writeFile(join(folder, 'model', 'chat_template.jinja'), template);
  await writeFile(join(folder, 'agent.mjs'), agent);
  const tasks = [...colours.map((shown) => ({ id: shown, shown })), ...others];
  await writeFile(join(folder, 'tasks.jsonl'), tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
  return folder;
}
