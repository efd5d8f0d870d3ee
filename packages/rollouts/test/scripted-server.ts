// A recording server whose model says words of a small vocabulary.
import type { Rng } from '@bowyer/core';
import { SteppedTokenizer } from '@bowyer/serving';
import { chatTemplate, wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { AgentServer, RolloutLog, type AgentServerOptions } from '../src/index.js';
import { scriptedModel } from './scripted-model.js';

const words = Array.from({ length: 200 }, (_, i) => `w${i}`).join(' ');
export const tokenizer = wordLevelTokenizer([words], { wholeTokens: ['[start]', '[end]', '\n', ' '] });
const endId = tokenizer.tokenToId('[end]')!;
const template =
  '{% for m in messages %}[start]{{ m.content }}[end]{% endfor %}{% if add_generation_prompt %}[start]{% endif %}';

/** Draws one to sixty words. */
const wordsScript = (rng: Rng) => [
  ...Array.from({ length: rng.integer(1, 60) }, () => tokenizer.tokenToId(`w${rng.integer(0, 199)}`)!),
  endId,
];

export interface ScriptedServer {
  server: AgentServer;
  log: RolloutLog;
  folder: string;
  close: () => Promise<void>;
}

export async function scriptedServer(
  folder?: string,
  { partBytes, tokenMs, ...options }: Partial<AgentServerOptions> & { partBytes?: number; tokenMs?: number } = {},
): Promise<ScriptedServer> {
  const log = await RolloutLog.open(folder ?? newFolder(), { partBytes });
  const stepped = new SteppedTokenizer(tokenizer);
  const server = await AgentServer.listen({
    model: scriptedModel(tokenizer, wordsScript, { tokenMs }),
    tokenizer: stepped,
    name: 'scripted',
    template: chatTemplate(template, stepped),
    terminatorIds: [endId],
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    seed: 1,
    slots: 8,
    maxQueued: 64,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 100 },
    log,
    ...options,
  });
  const close = async () => {
    await server.close();
    await log.close();
  };
  return { server, log, folder: log.folder, close };
}
