// The traffic of a served model and the feedback on it, over real HTTP: what is kept, what is not, and what trainings read.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { ModelServer, SteppedTokenizer, type ModelServerOptions } from '@bowyer/serving';
import { chatTemplate } from '@bowyer/text';
import { collected, newFolder, tinyLlama } from '@bowyer/testing';
import {
  feedbackRoutes,
  readRollouts,
  redactPatterns,
  requireTokens,
  RolloutLog,
  TrafficRecorder,
  writeRecordedData,
  type RecordedUse,
  type TrafficRecorderOptions,
} from '../src/index.js';
import { json, post, template, tokenizer } from './tiny-server.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
const model = await LanguageModel.create({ device, config: tinyLlama(512), tokenizer, rng: new Rng(5) });
const open: Served[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));
afterAll(() => device.close());

interface Served {
  url: string;
  log: RolloutLog;
  close: () => Promise<void>;
}

async function closed(server: Served): Promise<void> {
  open.splice(open.indexOf(server), 1);
  await server.close();
}

async function served(
  { mostBytes, ...recorded }: Partial<TrafficRecorderOptions> & { mostBytes?: number } = {},
  options: Partial<ModelServerOptions> = {},
): Promise<Served> {
  const log =
    recorded.log ??
    (await RolloutLog.open(await newFolder(), mostBytes === undefined ? {} : { mostBytes, partBytes: mostBytes / 8 }));
  const observer = new TrafficRecorder({ ...recorded, log });
  const stepped = new SteppedTokenizer(tokenizer);
  const server = await ModelServer.listen({
    model,
    tokenizer: stepped,
    name: 'tiny',
    template: chatTemplate(template, stepped),
    terminatorIds: [tokenizer.tokenToId('[end]')!],
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    seed: 1,
    slots: 4,
    maxQueued: 64,
    splitsMessages: true,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 8 },
    observer,
    protocols: () => [feedbackRoutes(observer)],
    ...options,
  });
  const close = async () => {
    await server.close();
    await log.close();
  };
  open.push({ url: server.url, log, close });
  return open.at(-1)!;
}

const user = (content: string) => ({ role: 'user', content });
const asked = (content: string) => ({ model: 'tiny', messages: [user(content)], max_tokens: 4 });
const chat = async ({ url }: Served, content: string): Promise<{ id: string; said: string }> => {
  const { id, choices } = await json(`${url}/chat/completions`, asked(content));
  return { id, said: choices[0].message.content };
};
const rate = ({ url }: Served, id: string, body: object, headers = {}) =>
  post(`${url}/responses/${id}/feedback`, body, headers);

async function dataOf({ folder }: RolloutLog, use: RecordedUse): Promise<object[]> {
  const path = join(folder, `${use}.data`);
  await writeRecordedData(path, folder, use);
  const text = await readFile(path, 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

test.each([
  ['chat/completions', asked('Say it.')],
  ['completions', { model: 'tiny', prompt: 'Say it.', max_tokens: 4 }],
  ['responses', { model: 'tiny', input: 'Say it.', max_output_tokens: 4 }],
  ['messages', { model: 'tiny', messages: [user('Say it.')], max_tokens: 4 }],
])(
  '%s: an answer is recorded by its id, token by token, whole and streamed, and takes feedback',
  async (path, body) => {
    const server = await served();
    const { id } = await json(`${server.url}/${path}`, body);
    const { text } = await post(`${server.url}/${path}`, { ...body, stream: true });
    const streamed = /"(?:chatcmpl-|cmpl-|resp_|msg_)[0-9a-f]{32}"/.exec(text)![0].slice(1, -1);
    expect((await rate(server, id, { thumbs: 'up' })).status).toBe(200);
    expect((await rate(server, streamed, { value: 0.5 })).status).toBe(200);
    const rollouts = await collected(readRollouts(server.log.folder));
    expect(rollouts.map(({ id: own, rewards }) => [own, rewards[0].value])).toEqual([
      [id, 1],
      [streamed, 0.5],
    ]);
    for (const { calls, status } of rollouts) {
      expect(status).toBe('ended');
      const [{ promptIds, choices, request, sampling }] = calls;
      expect(tokenizer.decode(promptIds, { keepSpecialTokens: true })).toContain('Say it.');
      expect(choices[0].ids.length).toBeGreaterThan(0);
      expect(choices[0].logprobs).toHaveLength(choices[0].ids.length);
      expect(request).toMatchObject({ model: 'tiny' });
      expect(sampling).toMatchObject({ model: 'tiny' });
    }
  },
);

test('the answers of a server that records are those of one that does not', async () => {
  const recording = await served();
  const plain = await served({}, { observer: undefined, protocols: undefined });
  const answers = async (server: Served) => [
    await chat(server, 'a').then(({ said }) => said),
    (await chat(server, 'b')).said,
  ];
  expect(await answers(recording)).toEqual(await answers(plain));
});

test('trainings read what was liked, what was corrected, and what was asked; the last feedback counts', async () => {
  const server = await served();
  const [liked, disliked, unrated, corrected] = [
    await chat(server, 'liked'),
    await chat(server, 'disliked'),
    await chat(server, 'unrated'),
    await chat(server, 'corrected'),
  ];
  await rate(server, liked.id, { thumbs: 'down' });
  await rate(server, liked.id, { thumbs: 'up' });
  await rate(server, disliked.id, { thumbs: 'down' });
  await rate(server, corrected.id, { correction: 'no' });
  const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{"up": 1.0}' } };
  await rate(server, corrected.id, { correction: { content: null, tool_calls: [call] } });
  const said = (content: string) => expect.objectContaining({ role: 'assistant', content });
  const right = expect.objectContaining({ role: 'assistant', tool_calls: [call] });
  const dialogue = (content: string, answer: object) => ({ messages: [user(content), answer] });
  expect((await dataOf(server.log, 'imitate')).sort(byText)).toEqual(
    [dialogue('unrated', said(unrated.said)), dialogue('liked', said(liked.said)), dialogue('corrected', right)].sort(
      byText,
    ),
  );
  const sorted = (await dataOf(server.log, 'prefer')).sort(byText);
  expect(sorted).toEqual(
    [
      { ...dialogue('liked', said(liked.said)), reward: 1 },
      { ...dialogue('disliked', said(disliked.said)), reward: 0 },
      { prompt: [user('corrected')], chosen: [right], rejected: [said(corrected.said)] },
    ].sort(byText),
  );
  expect(await dataOf(server.log, 'ask')).toHaveLength(4);
  const rollouts = await collected(readRollouts(server.log.folder));
  const rewards = rollouts.find(({ id }) => id === corrected.id)!.rewards;
  expect(rewards.at(-1)).toMatchObject({ value: 0 });
});

test('a correction that says what the model has said is imitated, and no preference', async () => {
  const server = await served();
  const { id, said } = await chat(server, 'right');
  await rate(server, id, { correction: ` ${said}` });
  expect(await dataOf(server.log, 'prefer')).toEqual([]);
  expect(await dataOf(server.log, 'imitate')).toHaveLength(1);
});

const byText = (one: object, other: object): number => (firstText(one) < firstText(other) ? -1 : 1);
const firstText = (item: object): string => {
  const { messages, prompt } = item as { messages?: { content: string }[]; prompt?: { content: string }[] };
  return (messages ?? prompt)![0].content;
};

test('feedback survives a server that is killed, since it is on disk before it is acknowledged', async () => {
  const server = await served();
  const { id } = await chat(server, 'a');
  await rate(server, id, { value: 0.25, correction: 'b' });
  // The bytes of the folder are those that a kill at this instant would leave.
  const [rollout] = await collected(readRollouts(server.log.folder));
  expect(rollout).toMatchObject({
    id,
    rewards: [{ value: 0.25 }],
    correction: { choice: 0, message: { content: 'b' } },
  });
  await closed(server);
  const again = await served({ log: await RolloutLog.open(server.log.folder) });
  expect((await rate(again, id, { thumbs: 'up' })).status).toBe(200);
  expect((await collected(readRollouts(again.log.folder)))[0].rewards.map(({ value }) => value)).toEqual([0.25, 1]);
});

test.each([
  [{}, 400, "feedback needs 'thumbs'"],
  [{ thumbs: 'sideways' }, 400, "'thumbs' is 'up' or 'down'"],
  [{ thumbs: 'up', value: 1 }, 400, 'say the same'],
  [{ value: 'good' }, 400, "'value' must be a finite number"],
  [{ value: 1e300 }, 400, 'a reward is a finite number'],
  [{ correction: ['b'] }, 400, "'correction' must be a text or an object"],
  [{ correction: { content: 7 } }, 400, "'correction' is not a message of the assistant"],
  [{ correction: 'b', choice: 1 }, 400, 'there is no 1'],
  [{ stars: 5 }, 400, "Unknown field 'stars'"],
])('feedback %j is refused, and nothing of it is kept', async (body, status, message) => {
  const server = await served();
  const { id } = await chat(server, 'a');
  const refused = await rate(server, id, body);
  expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(message)]);
  expect((await collected(readRollouts(server.log.folder)))[0]).toMatchObject({ rewards: [] });
});

test('feedback needs the key of the server, and an answer that is in the record', async () => {
  const server = await served({}, { apiKey: 'secret' });
  const headers = { authorization: 'Bearer secret' };
  const { id } = JSON.parse((await post(`${server.url}/chat/completions`, asked('a'), headers)).text);
  expect((await rate(server, id, { thumbs: 'up' })).status).toBe(401);
  expect((await rate(server, id, { thumbs: 'up' }, headers)).status).toBe(200);
  expect((await rate(server, 'chatcmpl-none', { thumbs: 'up' }, headers)).status).toBe(404);
});

test('the record stays within its bytes: the oldest answers are removed, and the newest take feedback', async () => {
  const mostBytes = 64_000;
  const server = await served({ mostBytes });
  const ids: string[] = [];
  for (let i = 0; i < 80; i++) ids.push((await chat(server, `question ${i} ${'x'.repeat(200)}`)).id);
  const { folder } = server.log;
  const sizes = await Promise.all(
    (await readdir(folder))
      .filter((name) => name.endsWith('.jsonl'))
      .map(async (name) => (await stat(join(folder, name))).size),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(mostBytes);
  expect((await rate(server, ids[0], { thumbs: 'up' })).status).toBe(404);
  expect((await rate(server, ids.at(-1)!, { thumbs: 'up' })).status).toBe(200);
  const kept = (await collected(readRollouts(folder))).map(({ id }) => id);
  expect(kept).toEqual(ids.slice(-kept.length));
  await closed(server);
  const again = await RolloutLog.open(folder, { mostBytes, partBytes: mostBytes / 8 });
  expect(again.has(ids.at(-1)!)).toBe(true);
  await again.close();
});

test('text that matches a redaction pattern is in no byte of the record, nor are its tokens', async () => {
  const redact = redactPatterns(['[\\w.]+@[\\w.]+', '\\b\\d{16}\\b']);
  const server = await served({ redact });
  const secret = 'ann@mail.org';
  const body = { ...asked(`I am ${secret}!`), metadata: { card: '4111111111111111' } };
  const { id } = await json(`${server.url}/chat/completions`, body);
  await rate(server, id, { correction: `Hello ${secret}` });
  const { id: plain } = await chat(server, 'I am Ann.');
  const ids = tokenizer.encode(secret);
  await json(`${server.url}/completions`, { model: 'tiny', prompt: [ids], max_tokens: 2 });
  const rollouts = await collected(readRollouts(server.log.folder));
  const text = JSON.stringify(rollouts);
  expect(text).not.toContain(secret);
  expect(text).not.toContain('4111111111111111');
  expect(text).not.toContain(ids.join());
  expect(text).toContain('I am [REDACTED]!');
  const of = (own: string) => rollouts.find((rollout) => rollout.id === own)!;
  expect(of(id).calls[0]).toMatchObject({ redacted: true, promptIds: [], choices: [{ ids: [], logprobs: [] }] });
  expect(() => requireTokens(of(id))).toThrow('was redacted');
  expect(of(plain).calls[0].promptIds.length).toBeGreaterThan(0);
});
