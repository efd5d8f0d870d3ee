// An endpoint of OpenAI's form that knows the desk of every message. The same message always gets the same answer.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const lines = readFileSync(new URL('tasks.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const deskOf = new Map(lines.map((line) => JSON.parse(line)).map(({ message, desk }) => [message, desk]));
const desks = [...new Set(deskOf.values())];
/** From 0 to below 1, by the text. */
const drawn = (text) => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;

/** @param errors the share of the messages whose answer is drawn from all desks instead */
export async function startExpert(errors) {
  const server = createServer(async (request, response) => {
    const { messages } = await json(request);
    const { content: message } = messages.at(-1);
    const isCareless = drawn(`errs: ${message}`) < errors;
    const content = isCareless ? desks[Math.floor(drawn(`desk: ${message}`) * desks.length)] : deskOf.get(message);
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 0, model: 'expert', choices }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}
