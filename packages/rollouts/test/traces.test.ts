// Traces that other programs send to a server that records.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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

test.each([
  [{ spans: [] }, {}, 400, "the body is not OTLP: it is an object with the keys spans, without 'resourceSpans'"],
  [batch(), { 'content-type': 'application/x-protobuf' }, 415, 'it must be application/json'],
  [batch(), { 'content-encoding': 'gzip' }, 415, 'OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=none'],
])('%j with %j is refused', async (body, headers, status, message) => {
  const answer = await send(body, headers);
  expect(answer).toEqual({
    status,
    body: { error: expect.objectContaining({ message: expect.stringContaining(message) as string }) as object },
  });
});
