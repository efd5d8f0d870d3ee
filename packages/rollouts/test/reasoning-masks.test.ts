// Tests an answer whose reasoning is bounded, over HTTP: its recorded constraint gives each token the probability with which it
// was sampled.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { RecordedMasks, SteppedTokenizer } from '@bowyer/serving';
import { chatTemplate, wordLevelTokenizer } from '@bowyer/text';
import { newFolder, tinyLlama } from '@bowyer/testing';
import { rm } from 'node:fs/promises';
import { AgentServer, RolloutLog, treeOf, trajectoryOf } from '../src/index.js';
import { post } from './tiny-server.js';

const words = 'the big red fox runs over my old house'.split(' ').map((word) => ` ${word}`);
const tokenizer = wordLevelTokenizer([words.join('')], {
  wholeTokens: ['[user]', '[bot]', '[end]', '<think>', '</think>', ...words],
});
const source =
  '{% for m in messages %}[user]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[bot]<think>{% endif %}';
const config = tinyLlama(256);
const BUDGET = 3;

const device = await openDevice({ device: 'cpu', threads: 1 });
const stepped = new SteppedTokenizer(tokenizer);
const template = chatTemplate(source, stepped);
const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
const log = await RolloutLog.open(newFolder());
const server = await AgentServer.listen({
  model,
  tokenizer: stepped,
  name: 'thinking',
  template,
  terminatorIds: [tokenizer.tokenToId('[end]')!],
  host: '127.0.0.1',
  port: 0,
  apiKey: null,
  seed: 1,
  slots: 4,
  maxQueued: 8,
  splitsMessages: true,
  defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 20 },
  log,
});
afterAll(async () => {
  await server.close();
  await log.close();
  await device.close();
  await rm(log.folder, { recursive: true });
});

test('where the reasoning budget ends, an answer has one possible token, and all recomputed probabilities equal the sampled ones', async () => {
  const { url, id } = await server.rollouts.begin({ id: 'bounded' });
  for (let k = 0; k < 6; k++) {
    const thinking = { type: 'enabled', budget_tokens: BUDGET };
    const messages = [{ role: 'user', content: ' the fox' }];
    const { status } = await post(`${url}/v1/messages`, { model: 'thinking', max_tokens: 20, thinking, messages });
    expect(status).toBe(200);
  }
  await server.rollouts.reward(id, { value: 1 });
  const recorded = await server.rollouts.read(id);
  const close = tokenizer.tokenToId('</think>')!;
  const forced = recorded.calls.filter(({ choices: [{ ids }] }) => ids.indexOf(close) === BUDGET);
  expect(forced.length).toBeGreaterThan(0);
  for (const { choices } of forced) expect(choices[0].maskedLogprobs![BUDGET]).toBeCloseTo(0, 10);
  expect(forced.some(({ choices }) => choices[0].logprobs[BUDGET] < -0.1)).toBe(true);

  const masks = new RecordedMasks({ model, template });
  const { segments } = trajectoryOf(recorded, treeOf(recorded), {
    episode: 0,
    seed: 0,
    task: '{}',
    decode: (ids) => tokenizer.decode(ids, { keepSpecialTokens: true }),
    masks,
  });
  const utterances = segments.flatMap(({ ids, utterances: own }) =>
    own.map((utterance) => ({ ...utterance, whole: ids })),
  );
  expect(utterances).toHaveLength(recorded.calls.length);
  for (const { start, whole, logprobs, tokenMasks } of utterances) {
    const before = start - 1;
    const [scored] = await model.logprobs([
      {
        ids: Int32Array.from(whole.slice(0, -1)),
        targets: Int32Array.from(whole.slice(1)),
        weights: Float32Array.from(whole.slice(1), (_id, t) => Number(t >= before)),
        tokenMasks: [...Array<undefined>(before), ...tokenMasks!],
      },
    ]);
    const own = [...scored.slice(before)];
    expect(own).toHaveLength(logprobs.length);
    expect(Math.max(...own.map((logprob, t) => Math.abs(logprob - logprobs[t])))).toBeLessThan(1e-5);
  }
});
