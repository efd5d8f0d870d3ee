// Replaces a large model: an endpoint in OpenAI's form that repairs the repository by rules, and makes a mistake in a share of
// its edits.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { tasks } from './tasks.mjs';

const rightOf = new Map(tasks.map(({ file, fault }) => [file, fault.right]));

export async function startExpert(errors = 0) {
  let edits = 0;
  const server = createServer(async (request, response) => {
    const { messages } = await json(request);
    const message = nextMessage(messages, () => (++edits * 0.618) % 1 < errors);
    const choices = [{ index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'expert', object: 'chat.completion', created: 0, model: 'expert', choices }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

/** Runs the tests, reads the file of the failing one, repairs the file, and reports it. */
function nextMessage(messages, errs) {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (results.length === 0) return call('run_tests', {});
  const file = `${results[0].split(' ')[0]}.mjs`;
  if (results.length === 1) return call('read_file', { file });
  if (results.length > 2) return { role: 'assistant', content: `${file} is repaired.` };
  const wrong = /=>.*?([ab] \S+ [ab])/.exec(results[1])?.[1];
  if (wrong === undefined) return { role: 'assistant', content: results[1] }; // the file could not be read: the tool's error ends the rollout
  return call('edit_file', { file, old_text: wrong, new_text: errs() ? wrong : rightOf.get(file) });
}

const call = (name, args) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: `call_${name}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
