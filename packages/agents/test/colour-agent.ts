// Makes a model that can say colours, and an agent that asks it for one. Right answers are learned in seconds.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';

export const colours = ['red', 'green', 'blue', 'black'];
const marks = ['<|im_start|>', '<|im_end|>'];
const template =
  '{% for m in messages %}<|im_start|> {{ m.role }} {{ m.content }}<|im_end|>{% endfor %}{% if add_generation_prompt %}<|im_start|> assistant{% endif %}';

export interface ColourTask {
  id: string;
  /** The colour that the user asks for. */
  shown: string;
}

export const tasks: ColourTask[] = colours.flatMap((shown) =>
  Array.from({ length: 3 }, (_, i) => ({ id: `${shown}-${i}`, shown })),
);

/** Writes a folder with a model of random weights. @param words that the model knows in addition */
export async function colourModel(words = '', seed = 2): Promise<string> {
  const folder = newFolder();
  const tokenizer = wordLevelTokenizer([`user assistant say ${words}\n${colours.join(' ')}`], { wholeTokens: marks });
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const config = {
    model_type: 'llama',
    hidden_size: 32,
    intermediate_size: 64,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    max_position_embeddings: 64,
  };
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(seed) });
  await model.save(folder);
  await writeFile(join(folder, 'chat_template.jinja'), template);
  await device.close();
  return folder;
}

/** Asks the model once. */
export async function answerTo(
  { shown }: { shown: string },
  { baseURL, apiKey, signal }: { baseURL: string; apiKey: string; signal?: AbortSignal },
  send: typeof fetch = fetch,
): Promise<string> {
  const response = await send(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: `say ${shown}` }], max_tokens: 1 }),
    signal,
  });
  if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
  const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
  return choices[0].message.content.trim();
}
