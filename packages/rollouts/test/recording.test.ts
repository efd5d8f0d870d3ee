// Tests the records of calls in all protocols, over HTTP.
import { setTimeout as sleep } from 'node:timers/promises';
import { leaveAtEnd } from './leave-at-end.js';
import { json, post, tinyServer, tokenizer, type TinyServer } from './tiny-server.js';
import { readRollouts, treeOf } from '../src/index.js';

let tiny: TinyServer;
beforeAll(async () => {
  tiny = await tinyServer();
});
afterAll(() => tiny.close());

const user = { role: 'user', content: 'Say it.' };

test('a call’s tokens, log-probabilities and request are in the record before its answer has ended', async () => {
  const { baseURL, id } = await tiny.server.rollouts.begin({ id: 'first', task: 't1', group: 'g' });
  const answer = await json(`${baseURL}/chat/completions`, { model: 'tiny', messages: [user], max_tokens: 5 });
  const rollout = await tiny.server.rollouts.read(id);
  expect(rollout).toMatchObject({ id, task: 't1', group: 'g', status: 'open' });
  const [call] = rollout.calls;
  expect(call).toMatchObject({
    call: 0,
    protocol: 'chat-completions',
    path: '/rollouts/first/v1/chat/completions',
    request: { model: 'tiny', messages: [user], max_tokens: 5 },
    sampling: { maxTokens: 5, temperature: 1 },
    messages: [user],
    delivered: true,
    retry: 0,
  });
  const [choice] = call.choices;
  expect(tokenizer.decode(call.promptIds, { keepSpecialTokens: true })).toBe('[start]Say it.[end][start]');
  expect(choice.message.content).toBe(answer.choices[0].message.content);
  expect(choice.logprobs).toHaveLength(choice.ids.length);
  expect(choice.versions).toEqual([{ from: 0, version: 0 }]);
  expect(choice.terminated).toBe(answer.choices[0].finish_reason === 'stop');
  expect(answer.choices[0]).not.toHaveProperty('token_ids');
});

test.each([
  ['chat-completions', 'v1/chat/completions', { messages: [user], stream: true, max_tokens: 4 }],
  ['completions', 'v1/completions', { prompt: ['a', 'b'], n: 2, max_tokens: 3 }],
  ['responses', 'v1/responses', { input: 'Say it.', stream: true, max_output_tokens: 4 }],
  ['messages', 'v1/messages', { messages: [user], max_tokens: 4 }],
  ['messages', 'messages', { messages: [user], max_tokens: 4, stream: true }],
  ['chat-completions', 'chat/completions', { messages: [user], max_tokens: 4 }],
  ['responses', 'responses', { input: 'Say it.', max_output_tokens: 4 }],
])('%s at %s is recorded', async (protocol, path, body) => {
  const { url, id } = await tiny.server.rollouts.begin({ id: `by ${path} ${'stream' in body}` });
  const { status } = await post(`${url}/${path}`, { model: 'tiny', ...body });
  expect(status).toBe(200);
  const { calls } = await tiny.server.rollouts.read(id);
  expect(calls.map((call) => call.protocol)).toEqual(Array(protocol === 'completions' ? 2 : 1).fill(protocol));
  expect(calls.map(({ call }) => call)).toEqual(calls.map((_, i) => i));
  for (const { choices } of calls) expect(choices).toHaveLength(protocol === 'completions' ? 2 : 1);
});

test.each([
  ['v1/chat/completions', { messages: [user], max_tokens: 4 }],
  ['v1/responses', { input: 'Say it.', max_output_tokens: 4 }],
  ['v1/messages', { messages: [user], max_tokens: 4 }],
])('%s: a client that leaves a stream where its answer ends has got the answer', async (path, body) => {
  const { url, id } = await tiny.server.rollouts.begin({ id: `left ${path}` });
  const append = tiny.log.append.bind(tiny.log);
  tiny.log.append = (event) => sleep(100).then(() => append(event)); // this simulates a slow disk
  for (let call = 0; call < 2; call++)
    expect(await leaveAtEnd(`${url}/${path}`, { model: 'tiny', ...body })).toBe(true);
  tiny.log.append = append;
  await sleep(200); // an event that marks the answer as lost would be in the log by now
  const { calls } = await tiny.server.rollouts.read(id);
  expect(calls.map(({ delivered }) => delivered)).toEqual([true, true]);
});

test('a rollout is named by a header or by its key as well; a request that names none is refused', async () => {
  const { apiKey } = await tiny.server.rollouts.begin({ id: 'keyed' });
  const url = `${tiny.server.origin}/v1/chat/completions`;
  const body = { model: 'tiny', messages: [user], max_tokens: 1 };
  expect((await post(url, body, { authorization: `Bearer ${apiKey}` })).status).toBe(200);
  expect((await post(url, body, { 'x-bowyer-rollout': 'keyed' })).status).toBe(200);
  expect((await tiny.server.rollouts.read('keyed')).calls).toHaveLength(2);
  const refused = await post(url, body);
  expect(refused.status).toBe(404);
  expect(refused.text).toContain('/rollouts/ID/v1');
});

test('a history that comes back is spliced: the prompt begins with what was sampled, and the calls are one branch', async () => {
  const { baseURL, id } = await tiny.server.rollouts.begin({ id: 'spliced' });
  const messages: object[] = [user];
  for (let turn = 0; turn < 3; turn++) {
    const answer = await json(`${baseURL}/chat/completions`, { model: 'tiny', messages, max_tokens: 6 });
    messages.push(answer.choices[0].message, { role: 'tool', tool_call_id: 'x', content: `result ${turn}` });
  }
  const { calls } = await tiny.server.rollouts.read(id);
  for (const [i, { promptIds, choices }] of calls.slice(0, -1).entries()) {
    const before = [...promptIds, ...choices[0].ids];
    expect(calls[i + 1].promptIds.slice(0, before.length)).toEqual(before);
  }
  const { branches } = treeOf({ calls });
  expect(branches.map((branch) => branch.map(({ call }) => call.call))).toEqual([[0, 1, 2]]);
});

test('rewards, metrics and ends over REST: idempotent by key, contradicting ones by the last, none after it was learnt', async () => {
  const opened = await json(`${tiny.server.origin}/rollouts`, { task: 't9' });
  const { url, base_url: base } = opened;
  await post(`${base}/chat/completions`, { model: 'tiny', messages: [user], max_tokens: 1 });
  expect(await json(`${url}/rewards`, { value: 1, key: 'k' })).toEqual({ counts: true });
  await json(`${url}/rewards`, { value: 5, key: 'k' });
  await json(`${url}/rewards`, { value: 0.25, call: 0, name: 'format' });
  expect((await post(`${url}/rewards`, { value: 1, call: 7 })).status).toBe(409);
  expect((await post(`${url}/rewards`, { value: 'x' })).status).toBe(400);
  expect((await post(`${url}/rewards`, { value: 1, reason: 'x' })).text).toContain("Unknown field 'reason'");
  await json(`${url}/metrics`, { steps: 3 });
  await json(`${url}/end`, { status: 'failed', reason: 'tool broke' });
  expect((await post(`${base}/chat/completions`, { model: 'tiny', messages: [user] })).status).toBe(404);
  expect(await json(`${url}/rewards`, { value: 0.5 })).toEqual({ counts: true });
  await tiny.server.rollouts.learnt(opened.id);
  expect(await json(`${url}/rewards`, { value: 9 })).toEqual({ counts: false });
  const shown = await (await fetch(url)).json();
  expect(shown).toMatchObject({ task: 't9', status: 'failed', reason: 'tool broke', metrics: { steps: 3 }, calls: 1 });
  expect(shown.rewards.map(({ value }: { value: number }) => value)).toEqual([1, 0.25, 0.5, 9]);
  expect(shown.effective.map(({ value }: { value: number }) => value)).toEqual([0.5, 0.25]);
  expect((await fetch(`${tiny.server.origin}/rollouts/none`)).status).toBe(404);
});

test('numbers that training cannot calculate with are refused, and the largest that it can are kept', async () => {
  const { url, id } = await tiny.server.rollouts.begin({ id: 'figures' });
  const refused: [string, object, string][] = [
    [
      'rewards',
      { value: 1e300 },
      'a reward is a finite number from -1000000000000 to 1000000000000, not 1e+300: scale it',
    ],
    ['rewards', { value: -1.1e12, call: undefined }, 'a reward is a finite number'],
    ['rewards', { value: -1e308, name: 'part' }, 'the component of a reward is -1e+308; it must be a finite number'],
    ['metrics', { fine: 1, large: 1e101 }, "the metric 'large' is 1e+101; it must be a finite number"],
  ];
  for (const [what, body, message] of refused) {
    const { status, text } = await post(`${url}/${what}`, body);
    expect([status, JSON.parse(text).error.message]).toEqual([400, expect.stringContaining(message)]);
  }
  for (const value of [NaN, Infinity, 1e13])
    expect(() => tiny.server.rollouts.reward(id, { value })).toThrow(/from -1000000000000/);
  await tiny.server.rollouts.reward(id, { value: -1e12 });
  await tiny.server.rollouts.reward(id, { value: 1e99, name: 'part' });
  await tiny.server.rollouts.metrics(id, { time: 1e99 });
  expect(await tiny.server.rollouts.read(id)).toMatchObject({
    rewards: [{ value: -1e12 }, { value: 1e99 }],
    metrics: { time: 1e99 },
  });
});

test('another process reads the rollouts while the server writes', async () => {
  const ids = [];
  for await (const { id } of readRollouts(tiny.folder)) ids.push(id);
  expect(ids).toContain('first');
});

test('the log-probabilities of all calls are those that a trainer calculates, over all branches', async () => {
  const { baseURL, id } = await tiny.server.rollouts.begin({ id: 'scored' });
  const say = (messages: object[], more: object = {}) =>
    json(`${baseURL}/chat/completions`, { model: 'tiny', messages, max_tokens: 12, ...more });
  const { choices } = await say([user], { n: 3, temperature: 0.7 });
  const result = { role: 'tool', tool_call_id: 'x', content: 'so' };
  await Promise.all(choices.map(({ message }: { message: object }) => say([user, message, result], { top_p: 0.9 })));
  await say([{ role: 'user', content: 'Another.' }], { temperature: 0 });
  const rollout = await tiny.server.rollouts.read(id);
  const { branches } = treeOf(rollout);
  expect(branches.map(({ length }) => length).sort()).toEqual([1, 2, 2, 2]);
  const answers = rollout.calls.flatMap((call) =>
    call.choices.map((choice) => ({ promptIds: call.promptIds, choice })),
  );
  const examples = answers.map(({ promptIds, choice: { ids } }) => {
    const whole = [...promptIds, ...ids];
    const weights = Float32Array.from(whole.slice(1), (_, i) => Number(i + 1 >= promptIds.length));
    return { ids: Int32Array.from(whole.slice(0, -1)), targets: Int32Array.from(whole.slice(1)), weights };
  });
  const scored = await tiny.model.logprobs(examples, { maxTokens: 512 });
  const differences = answers.flatMap(({ promptIds, choice }, i) =>
    choice.logprobs.map((logprob, t) => Math.abs(logprob - scored[i][promptIds.length - 1 + t])),
  );
  expect(differences.length).toBeGreaterThan(20);
  expect(Math.max(0, ...differences)).toBeLessThan(1e-5);
});
