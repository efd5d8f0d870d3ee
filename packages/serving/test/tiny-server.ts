// A server of a tiny model with random weights, and the settings of others.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { chatTemplate, wordLevelTokenizer, type Tokenizer } from '@bowyer/text';
import { tinyLlama } from '@bowyer/testing';
import { SteppedTokenizer } from '../src/generation/stepped-tokenizer.js';
import { ModelServer, type ModelServerOptions } from '../src/model-server/model-server.js';

const characters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((c) => c !== ' ');
const marks = ['[start]', '[end]', '<tool_call>', '</tool_call>', '\n', ' '];

/** A tokenizer with a token for each ASCII character, and marks of messages and calls. */
export const characterTokenizer = wordLevelTokenizer([characters.join('\n')], {
  wholeTokens: [...marks, ...characters],
});

const call =
  '<tool_call>\n{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>';

/** A chat template of these marks. */
export const characterTemplate =
  `{% for m in messages %}[start]{{ m.content }}{% for c in m.tool_calls or [] %}${call}{% endfor %}[end]{% endfor %}` +
  '{% if add_generation_prompt %}[start]{% endif %}';

/** The options that most tests leave as they are; the server has any free port. */
export const usual = {
  name: 'tiny',
  template: null,
  host: '127.0.0.1',
  port: 0,
  apiKey: null,
  seed: 1,
  slots: 4,
  maxQueued: 64,
  defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 12 },
};

interface TinyServerOptions extends Partial<Omit<ModelServerOptions, 'tokenizer' | 'template' | 'model'>> {
  tokenizer?: Tokenizer;
  /** The source of a chat template; null: none. */
  template?: string | null;
  config?: ReturnType<typeof tinyLlama>;
}

/** Starts a server, which is closed after the tests of the file. Call it outside of tests and hooks. */
export async function tinyServer({
  tokenizer = characterTokenizer,
  template = characterTemplate,
  config = tinyLlama(512),
  ...options
}: TinyServerOptions = {}): Promise<ModelServer> {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const stepped = new SteppedTokenizer(tokenizer);
  const server = await ModelServer.listen({
    ...usual,
    model: await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) }),
    tokenizer: stepped,
    template: template === null ? null : chatTemplate(template, stepped),
    ...options,
  });
  afterAll(async () => {
    await server.close();
    await device.close();
  });
  return server;
}
