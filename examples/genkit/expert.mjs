// Replaces the present model: a server of OpenAI's protocol that knows the rules, and is careless in up to two fifths of its
// decisions.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { CITIES, MONTHS, OBJECTS } from './tasks.mjs';

let position = 0;
/** Returns true for a share of the calls, spread evenly. */
const isCareless = (share) => (position = (position + 0.6180339887) % 1) < share;

const call = (name, args) => {
  const calls = [{ id: `call_${name}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }];
  return { role: 'assistant', content: null, tool_calls: calls };
};
const say = (content) => ({ role: 'assistant', content });

function answer(messages) {
  const { content } = messages.find(({ role }) => role === 'user');
  const text = typeof content === 'string' ? content : content.map((part) => part.text).join('');
  const named = (names) => names.find((name) => text.includes(` ${name}`) || text.startsWith(name));
  const [object, city] = [named(OBJECTS), named(CITIES)];
  // "May the …" is not the name of a month.
  const month = MONTHS.find((name) => new RegExp(`\\b${name}\\b(?! the)`).test(text));
  const results = messages.filter(({ role }) => role === 'tool').map((message) => JSON.parse(message.content));
  const [found, place, booked] = results;
  if (!found) return call('find_object', { name: object });
  if (booked || place?.booked) return say(isCareless(0.15) ? 'I will ask.' : `Yes, ${city} gets the ${object}.`);
  if (!place) {
    if (found.state === 'fragile' && !isCareless(0.4)) return say('No, it is fragile.');
    if (isCareless(0.35)) return call('book_loan', { shelf: found.shelf, month, city });
    if (isCareless(0.1)) return say('I will ask.');
    return call('see_calendar', { shelf: found.shelf, month });
  }
  if (place.place === 'show' && !isCareless(0.4)) return say('No, it is on show.');
  if (isCareless(0.15)) return say('No, it is fragile.');
  return call('book_loan', { shelf: found.shelf, month, city });
}

/** Starts the server on a free port of this machine. */
export async function startExpert() {
  const server = createServer(async (request, response) => {
    const message = answer((await json(request)).messages);
    const choices = [{ index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'answer', object: 'chat.completion', created: 0, model: 'expert', choices }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}
