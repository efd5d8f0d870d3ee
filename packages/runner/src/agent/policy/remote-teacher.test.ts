// Tests that a teacher on our model server has the same log-probabilities as the model itself.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer, type Tokenizer } from '@bowyer/text';
import { answerRequests } from '@bowyer/testing';
import { servePolicy } from '../../../test/served-policy.js';
import { RemoteTeacher } from './remote-teacher.js';

const tokenizer = wordLevelTokenizer(['is it a dog cat ? yes no\n']);
const device = await openDevice({ device: 'cpu', threads: 1 });
const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 64 };
const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(3) });
const server = await servePolicy(model);
afterAll(async () => {
  await server.close();
  await device.close();
});

test('log-probabilities of given tokens are those of the model, where another token follows a target too', async () => {
  const ids = Int32Array.from(tokenizer.encode('is it a dog ? no\n'));
  const next = [...ids.slice(1), ids[0]];
  const other = next.map((id, t) => (t === 2 ? tokenizer.encode('cat')[0] : id));
  const examples = [
    { ids, targets: Int32Array.from(next), weights: Float32Array.from(ids, () => 1) },
    { ids, targets: Int32Array.from(other), weights: Float32Array.from(ids, (_, t) => Number(t === 2 || t === 4)) },
    { ids: ids.slice(0, 3), targets: Int32Array.from(next.slice(0, 3)), weights: Float32Array.of(0, 0, 1) },
  ];
  const wanted = await model.logprobs(examples);
  const teacher = await RemoteTeacher.open(server.url, tokenizer);
  const found = await teacher.logprobs(Array.from({ length: 7 }, () => examples).flat());
  await teacher.release();
  found.forEach((row, i) =>
    row.forEach((logprob, t) => expect(logprob).toBeCloseTo(wanted[i % examples.length][t], 5)),
  );
});

test('answers that were constrained by a grammar are refused, since a server computes probabilities over all tokens', async () => {
  const ids = Int32Array.from(tokenizer.encode('is it a dog'));
  const example = { ids, targets: ids, weights: Float32Array.from(ids, () => 1) };
  const teacher = await RemoteTeacher.open(server.url, tokenizer);
  const masks = Array.from(ids, (id) => Uint32Array.of(1 << id));
  const grammar = 'cannot rate answers that were held to a grammar';
  await expect(teacher.logprobs([example, { ...example, tokenMasks: masks }])).rejects.toThrow(grammar);
  await teacher.release();
});

const opened = (url: string, own: Tokenizer = tokenizer) => RemoteTeacher.open(url, own);

test('a server with another tokenizer is refused', async () => {
  await expect(opened(server.url, wordLevelTokenizer(['is it a cow cat ? yes no\n']))).rejects.toThrow(
    'has another tokenizer than the policy: token ',
  );
});

test('a server that gives no log-probabilities of given tokens is refused', async () => {
  const silent = await answerRequests(({ path }) =>
    path.endsWith('/models') ? { data: [{ id: 'one' }] } : { choices: [{ index: 0, text: '' }] },
  );
  await expect(opened(`${silent.address}/v1`)).rejects.toThrow('gives no log-probabilities of given tokens');
  silent.close();
});
