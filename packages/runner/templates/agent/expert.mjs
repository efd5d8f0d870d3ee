// An endpoint in OpenAI's form that replaces a large model: a script that plays the agent's part, and is careless in a share of
// its decisions. You do not need this file if you have an endpoint: see start.mjs.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const DECISIONS = { lost: 'refund', broken: 'refund', late: 'hand_over', delivered: null };
const GUESSES = ['refund', 'hand_over', null];

export async function startExpert(carelessness = 0) {
  let decisions = 0;
  const server = createServer(async (request, response) => {
    const { messages } = await json(request);
    const message = nextMessage(messages, () => {
      decisions++;
      return (decisions * 0.618) % 1 < carelessness ? GUESSES[decisions % 3] : undefined;
    });
    const choices = [{ index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'expert', object: 'chat.completion', created: 0, model: 'expert', choices }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

/** @param slip returns the guess of a careless moment, else undefined */
function nextMessage(messages, slip) {
  const order = /\d{4}/.exec(messages[1].content)[0];
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (results.length === 0) return call('find_order', { order });
  const { state } = JSON.parse(results[0]);
  const slipped = results.length === 1 ? slip() : null;
  const decision = slipped === undefined ? DECISIONS[state] : slipped;
  if (decision === 'refund') return call('refund', { order });
  if (decision === 'hand_over') return call('hand_over', { reason: state });
  const last = messages.findLast(({ tool_calls: calls }) => calls)?.tool_calls[0].function.name;
  if (last === 'refund') return text(`You get your money for order ${order} back.`);
  return text(last === 'hand_over' ? 'A colleague will write to you.' : `Order ${order} was delivered.`);
}

const text = (content) => ({ role: 'assistant', content });

const call = (name, args) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: `call_${name}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
