// A recording server with a model of random weights, for tests that hold whatever it says.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { SteppedTokenizer } from '@bowyer/serving';
import { chatTemplate, wordLevelTokenizer } from '@bowyer/text';
import { newFolder, sendJson, tinyLlama } from '@bowyer/testing';
import { AgentServer, RolloutLog, type AgentServerOptions } from '../src/index.js';

const characters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((c) => c !== ' ');
const marks = ['[start]', '[end]', '<think>', '</think>', '<tool_call>', '</tool_call>', '\n', ' '];
export const tokenizer = wordLevelTokenizer([characters.join('\n')], { wholeTokens: [...marks, ...characters] });
const config = tinyLlama(512);
const call =
  '<tool_call>\n{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>';
export const template =
  `{% for m in messages %}[start]{{ m.content }}{% for c in m.tool_calls or [] %}${call}{% endfor %}[end]{% endfor %}` +
  '{% if add_generation_prompt %}[start]{% endif %}';

export interface TinyServer {
  server: AgentServer;
  log: RolloutLog;
  folder: string;
  model: LanguageModel;
  close: () => Promise<void>;
}

export async function tinyServer(folder?: string, options: Partial<AgentServerOptions> = {}): Promise<TinyServer> {
  const dir = folder ?? newFolder();
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
  const stepped = new SteppedTokenizer(tokenizer);
  const log = await RolloutLog.open(dir);
  const end = tokenizer.tokenToId('[end]')!;
  const server = await AgentServer.listen({
    model,
    tokenizer: stepped,
    name: 'tiny',
    template: chatTemplate(template, stepped),
    terminatorIds: [end],
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    seed: 1,
    slots: 4,
    maxQueued: 64,
    splitsMessages: true,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 8 },
    log,
    ...options,
  });
  const close = async () => {
    await server.close();
    await log.close();
    await device.close();
  };
  return { server, log, folder: dir, model, close };
}

export const post = (url: string, json: object, headers: Record<string, string> = {}) =>
  sendJson(url, json, { headers });

// oxlint-disable-next-line typescript/no-explicit-any
export const json = async (...given: Parameters<typeof post>): Promise<any> => (await post(...given)).body;
