// Tests traces that other programs send to a recording server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readConversations } from '@bowyer/conversations';
import { post, tinyServer, type TinyServer } from './tiny-server.js';

let tiny: TinyServer;
beforeAll(async () => {
  tiny = await tinyServer();
});
afterAll(() => tiny.close());

const json = (key: string, value: unknown) => ({ key, value: { stringValue: JSON.stringify(value) } });
const said = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
const chat = (traceId: string, answer: object) => ({
  traceId,
  name: 'chat',
  attributes: [json('gen_ai.input.messages', [said('user', 'a')]), json('gen_ai.output.messages', [answer])],
});
const batch = (...spans: object[]) => ({ resourceSpans: [{ resource: {}, scopeSpans: [{ spans }] }] });
const send = async (body: object, headers: Record<string, string> = {}) => {
  const answer = await post(`${tiny.server.origin}/v1/traces`, body, headers);
  return { status: answer.status, body: JSON.parse(answer.text) as unknown };
};

test('spans are kept as lines of OTLP that can be learned from; those that cannot be read are rejected', async () => {
  const path = join(tiny.folder, 'traces.jsonl');
  expect(await send(batch({ traceId: 'x', name: 'GET /', attributes: [] }))).toEqual({ status: 200, body: {} });
  expect(existsSync(path)).toBe(false);
  const image = { role: 'assistant', parts: [{ type: 'blob', content: 'x' }] };
  const sent = await send(batch(chat('t1', said('assistant', 'b')), chat('t2', image)));
  expect(sent).toEqual({
    status: 200,
    body: {
      partialSuccess: {
        rejectedSpans: 1,
        errorMessage:
          'span \'chat\': message 2 has a part of type "blob" with the text "x"; parts of text, reasoning and tools are read',
      },
    },
  });
  await Promise.all(['t3', 't4'].map((id) => send(batch(chat(id, said('assistant', id))))));
  const { items } = await readConversations(path);
  expect(items.map(({ place }) => place)).toEqual(['line 1', 'line 2', 'line 3']);
  expect(items.map(({ value }) => value.messages[1].content).sort()).toEqual(['b', 't3', 't4']);
});

test("a rollout's key sends the spans of its own traces alone; the key of the server all", async () => {
  const [a, b] = await Promise.all(['a', 'b'].map((id) => tiny.server.rollouts.begin({ id })));
  const sentBy = ({ apiKey }: { apiKey: string }, ...ids: string[]) =>
    send(batch(...ids.map((id) => chat(id, said('assistant', 'x')))), { authorization: `Bearer ${apiKey}` });
  expect((await sentBy(a, 'owned')).body).toEqual({});
  expect((await sentBy(b, 'owned', 'of-b')).body).toEqual({
    partialSuccess: { rejectedSpans: 1, errorMessage: "span 'chat': the trace 'owned' belongs to another rollout" },
  });
  for (const again of [
    () => sentBy(a, 'owned'),
    () => sentBy(b, 'of-b'),
    () => send(batch(chat('owned', said('assistant', 'x')))),
  ])
    expect((await again()).body).toEqual({});
});

test('a server that is started again on its folder knows whose traces there are', async () => {
  const first = await tinyServer();
  const [a, b] = await Promise.all(['a', 'b'].map((id) => first.server.rollouts.begin({ id })));
  const sentTo = async ({ server }: TinyServer, { apiKey }: { apiKey: string }) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const { text } = await post(`${server.origin}/v1/traces`, batch(chat('kept', said('assistant', 'x'))), headers);
    return JSON.parse(text) as unknown;
  };
  expect(await sentTo(first, a)).toEqual({});
  await first.close();
  const second = await tinyServer(first.folder);
  expect(await sentTo(second, b)).toEqual({
    partialSuccess: { rejectedSpans: 1, errorMessage: "span 'chat': the trace 'kept' belongs to another rollout" },
  });
  expect(await sentTo(second, a)).toEqual({});
  await second.close();
});

const text = (key: string, content: string) => ({ key, value: { stringValue: content } });

test.each([
  ['a million brackets', '['.repeat(1_000_000)],
  ['lists within lists', '['.repeat(1000) + ']'.repeat(1000)],
  ['a million numbers', `[${'1,'.repeat(1_000_000)}1]`],
  ['a hundred thousand objects', `[${'{},'.repeat(100_000)}{}]`],
])('JSON in a text of an attribute has the bounds of a body: %s', async (_, content) => {
  const large = {
    traceId: 'x',
    name: 'large',
    attributes: [text('gen_ai.input.messages', content), text('gen_ai.output.messages', content)],
  };
  const before = process.cpuUsage();
  const body = gzipSync(JSON.stringify(batch(chat('t9', said('assistant', 'c')), large)));
  const { status, bytes } = await sendBytes(body, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  const { user } = process.cpuUsage(before);
  expect(status).toBe(200);
  const { partialSuccess } = JSON.parse(bytes.toString()) as { partialSuccess: object };
  expect(partialSuccess).toEqual({
    rejectedSpans: 1,
    errorMessage: expect.stringMatching(/^span 'large': an attribute is too large: the body has more than/) as string,
  });
  expect(user / 1000).toBeLessThan(2000);
});

const sendBytes = async (bytes: Uint8Array, headers: Record<string, string>) => {
  const answer = await fetch(`${tiny.server.origin}/v1/traces`, {
    method: 'POST',
    headers,
    body: new Uint8Array(bytes),
  });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
};

/** Encodes a length-delimited field of protobuf: its tag, the length as a varint of two bytes, the content. */
const delimited = (number: number, ...content: (Buffer | string)[]) => {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length | 0x80, bytes.length >> 7]), bytes]);
};
const attribute = (key: string, value: object) =>
  delimited(9, delimited(1, `gen_ai.${key}.messages`), delimited(2, delimited(1, JSON.stringify(value))));
/** Encodes an ExportTraceServiceRequest with a model call; nothing reads its field 16 (flags, 32 bits). */
const chatBytes = (answer: object) => {
  const asked = attribute('input', [said('user', 'a')]);
  const flags = Buffer.from([0x85, 0x01, 1, 0, 0, 0]);
  const span = delimited(
    2,
    delimited(1, '\x01\x2b'),
    delimited(5, 'chat'),
    flags,
    asked,
    attribute('output', [answer]),
  );
  return delimited(1, delimited(2, span));
};

test('a body may be gzip, and protobuf, which is answered as protobuf', async () => {
  const zipped = gzipSync(JSON.stringify(batch(chat('t5', said('assistant', 't5')))));
  const json = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  expect(await sendBytes(zipped, json)).toEqual({ status: 200, bytes: Buffer.from('{}') });

  const proto = { 'content-type': 'application/x-protobuf' };
  expect(await sendBytes(chatBytes(said('assistant', 't6')), proto)).toEqual({ status: 200, bytes: Buffer.of() });
  const { items } = await readConversations(join(tiny.folder, 'traces.jsonl'));
  expect(items.slice(-2).map(({ value }) => value.messages[1].content)).toEqual(['t5', 't6']);
  expect(items.at(-1)!.value.trace).toBe('012b');

  const image = { role: 'assistant', parts: [{ type: 'blob', content: 'x' }] };
  const { status, bytes } = await sendBytes(gzipSync(chatBytes(image)), { ...proto, 'content-encoding': 'gzip' });
  expect(status).toBe(200);
  // The bytes are partial_success with rejected_spans = 1 and error_message.
  expect([...bytes.subarray(0, 5)]).toEqual([0x0a, bytes.length - 2, 0x08, 1, 0x12]);
  expect(bytes.subarray(6).toString()).toMatch(/^span 'chat': message 2 has a part of type "blob"/);
});

test.each([
  [{ spans: [] }, {}, 400, "the body is not OTLP: it is an object with the keys spans, without 'resourceSpans'"],
  [batch(), { 'content-type': 'application/x-protobuf' }, 400, 'the body is not OTLP as protobuf: '],
  [batch(), { 'content-encoding': 'gzip' }, 400, 'the body is not gzip: '],
  [batch(), { 'content-encoding': 'br' }, 415, 'OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=gzip'],
])('%j with %j is refused', async (body, headers, status, message) => {
  const answer = await send(body, headers);
  expect(answer).toEqual({
    status,
    body: { error: expect.objectContaining({ message: expect.stringContaining(message) as string }) as object },
  });
});

test('a body that is too large when it is inflated is refused', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const answer = await sendBytes(gzipSync(Buffer.alloc(9 * 2 ** 20)), headers);
  expect(answer.status).toBe(413);
});
