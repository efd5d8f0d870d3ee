// Replaces a large model: an endpoint in OpenAI's form that solves the tasks by rules, and is careless in a share of them.
// node big-model.mjs [PORT [ERRORS]]: the same message always gets the same answer.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const [port = '9000', errors = '0.3'] = process.argv.slice(2);
const TEAMS = {
  plumber: /water|sink|toilet|shower/,
  electrician: /light|heating|socket|television/,
  housekeeping: /./,
};
/** Returns a number from 0 to below 1 that depends only on the text. */
const drawn = (text) => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;

function answer(messages) {
  const message = messages.find(({ role }) => role === 'user').content;
  const [room] = /\d+/.exec(message);
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (results.length === 0) return call('find_room', { room });
  if (results.length > 1) return { role: 'assistant', content: `Room ${room} is taken care of.` };
  const right = Object.keys(TEAMS).find((name) => TEAMS[name].test(message));
  const isCareless = drawn(`errs: ${message}`) < Number(errors);
  const team = isCareless ? Object.keys(TEAMS)[Math.floor(3 * drawn(`team: ${message}`))] : right;
  const isAsleep = JSON.parse(results[0]).guest === 'asleep' && !(isCareless && drawn(`note: ${message}`) < 0.5);
  return call(isAsleep ? 'leave_note' : 'send_team', { team, room });
}

const call = (name, args) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: `call_${name}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});

/** Estimates the number of tokens of a text in a large model. */
const tokens = (value) => Math.ceil(JSON.stringify(value).length / 4);

createServer(async (request, response) => {
  const { messages, tools } = await json(request);
  const message = answer(messages);
  const choices = [{ index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }];
  const [prompt_tokens, completion_tokens] = [tokens([messages, tools]), tokens(message)];
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ id: 'big', object: 'chat.completion', created: 0, model: 'big', choices, usage }));
}).listen(Number(port), '127.0.0.1');
