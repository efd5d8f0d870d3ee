// Tests docs/extending/protocol.md: the protocol that it shows is served, and reads the answers of another endpoint.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordLevelTokenizer } from '@bowyer/text';
import { sendJson, tinyLlama } from '@bowyer/testing';
import type { ServedModels } from '../src/protocols/protocol.js';
import { addEvent } from '../src/protocols/upstream/answer-reader.js';
import { generate } from './guide-protocol.js';
import { tinyServer } from './tiny-server.js';

test('the guide shows this file behind its imports', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/extending/protocol.md'), 'utf8');
  const file = readFileSync(join(import.meta.dirname, 'guide-protocol.ts'), 'utf8');
  const imports = /^import [^;]*;\n/gm;
  const [last] = [...file.matchAll(imports)].slice(-1);
  expect(page).toContain(file.slice(last!.index + last![0].length).trim());
});

const server = await tinyServer({
  tokenizer: wordLevelTokenizer(['is it a dog or a cat ? yes . no\n']),
  template: null,
  config: tinyLlama(32),
  slots: 2,
  maxQueued: 2,
  defaults: { temperature: 0, topK: 0, topP: 1, maxTokens: 5 },
  protocols: ({ generator }) => [generate.serve({ name: 'tiny', generator } as Partial<ServedModels> as ServedModels)],
});

test('it is served whole and as a stream, which its own reader reads', async () => {
  const ask = (body: object) =>
    sendJson<{ response: string; done: boolean }>(new URL('/api/generate', server.url), { prompt: 'is it', ...body });
  const { body: whole } = await ask({});
  expect(whole.done).toBe(true);
  const events = (await ask({ stream: true })).text.trim().split('\n\n');
  const answer = generate.calls!.answer(true, 1);
  for (const [i, each] of events.entries()) {
    const data = JSON.parse(each.slice('data: '.length)) as Record<string, unknown>;
    expect(generate.calls!.isEnd!(data)).toBe(i === events.length - 1);
    addEvent(answer)(data);
  }
  expect(answer.choices()).toEqual([{ message: { content: whole.response, calls: [] }, finishReason: 'stop' }]);
  expect((await ask({ prompt: 5 })).body).toEqual({
    error: expect.stringContaining("'prompt' must be") as string,
  });
});
