// Stands for a big model behind the programs: node program-expert.mjs PORT [ERRORS]
// It answers streamed requests of Codex (Responses), OpenCode (Chat Completions) and Claude Code (Messages) by a rule: a command writes
// the file again, with another operator than the right one in a share of the answers.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { tasks } from './tasks.mjs';

const [port, errors = '0'] = process.argv.slice(2);
const rightOf = new Map(tasks.map(({ file, fault }) => [file, fault.right]));
const wrongs = [...new Set(rightOf.values())];
let repairs = 0;

/** Returns what is said after a dialogue, of which the text of the request says enough: a command, or a last sentence. */
function said(request, isDone) {
  const file = /Repair (\w+\.mjs), whose test fails/.exec(request)?.[1];
  if (file === undefined) return { text: 'Repair of a file' }; // a title
  if (isDone) return { text: `${file} is repaired.` };
  const isCareless = (++repairs * 0.618) % 1 < Number(errors);
  const expression = isCareless ? wrongs[repairs % wrongs.length] : rightOf.get(file);
  return { command: `echo 'export const ${file.slice(0, -4)} = (a, b) => ${expression};' > ${file}` };
}

const protocols = {
  responses: {
    isDone: ({ input }) => input.some(({ type }) => type === 'function_call_output'),
    events({ text, command }) {
      const id = `resp_${repairs}`;
      const call = { type: 'function_call', id: 'fc_1', call_id: `call_${repairs}`, name: 'exec_command' };
      const item = command
        ? { ...call, arguments: JSON.stringify({ cmd: command }), status: 'completed' }
        : {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [] }],
          };
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      const response = {
        id,
        object: 'response',
        created_at: 0,
        model: 'expert',
        status: 'completed',
        output: [item],
        usage,
      };
      return [
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response },
      ];
    },
  },
  'chat/completions': {
    isDone: ({ messages }) => messages.some(({ role }) => role === 'tool'),
    events({ text, command }) {
      const call = { name: 'bash', arguments: JSON.stringify({ command, description: 'Repairs the file' }) };
      const delta = command
        ? { role: 'assistant', tool_calls: [{ index: 0, id: `call_${repairs}`, type: 'function', function: call }] }
        : { role: 'assistant', content: text };
      const chunk = { id: `chatcmpl-${repairs}`, object: 'chat.completion.chunk', created: 0, model: 'expert' };
      const finish_reason = command ? 'tool_calls' : 'stop';
      return [
        { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
      ];
    },
    end: 'data: [DONE]\n\n',
  },
  messages: {
    isDone: ({ messages }) => JSON.stringify(messages).includes('"tool_result"'),
    events({ text, command }) {
      const message = { id: `msg_${repairs}`, type: 'message', role: 'assistant', model: 'expert', content: [] };
      const usage = { input_tokens: 1, output_tokens: 1 };
      const [content_block, delta] = command
        ? [
            { type: 'tool_use', id: `toolu_${repairs}`, name: 'Bash', input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify({ command, description: 'Repairs the file' }) },
          ]
        : [
            { type: 'text', text: '' },
            { type: 'text_delta', text },
          ];
      const stop = { stop_reason: command ? 'tool_use' : 'end_turn', stop_sequence: null };
      return [
        { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } },
        { type: 'content_block_start', index: 0, content_block },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: stop, usage },
        { type: 'message_stop' },
      ];
    },
  },
};

createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const protocol = protocols[pathname.replace(/^\/(v1\/)?/, '')];
  if (request.method !== 'POST' || protocol === undefined) return response.writeHead(404).end('{}');
  const body = await json(request);
  const answer = said(JSON.stringify(body), protocol.isDone(body));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of protocol.events(answer))
    response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
  response.end(protocol.end ?? '');
}).listen(Number(port), '127.0.0.1');
