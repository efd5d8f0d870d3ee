// An endpoint in OpenAI's form (POST …/chat/completions, whole or streamed), whose answers come from a script. It records
// requests and answers.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Endpoint, Message, Said } from './example.js';

interface ChatRequest {
  messages: RawMessage[];
  tools?: { type: 'function'; function: { name: string } }[];
  stream?: boolean;
}

type RawMessage = Omit<Message, 'content' | 'role'> & {
  role: Message['role'] | 'developer';
  content?: string | { type: string; text?: string }[] | null;
};

/** The messages of a call, with the answer at the end, and the call's tools. */
export interface Dialogue {
  messages: Message[];
  tools?: { type: 'function'; function: { name: string } }[];
}

interface ScriptedEndpoint extends Endpoint {
  /** All calls so far, in the order of their arrival. */
  dialogues: Dialogue[];
  close(): Promise<void>;
}

type Script = (messages: readonly Message[], tools: readonly string[]) => Said;

export async function scriptedEndpoint(script: Script): Promise<ScriptedEndpoint> {
  const dialogues: Dialogue[] = [];
  const server = createServer((request, response) => {
    answer(request, response, script, dialogues).catch((error: unknown) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: String(error), type: 'invalid_request_error' } }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'none', dialogues, close };
}

async function answer(request: IncomingMessage, response: ServerResponse, script: Script, dialogues: Dialogue[]) {
  const { messages: raw, tools = [], stream = false } = (await json(request)) as ChatRequest;
  const messages = raw.map(plain);
  const names = tools.map((tool) => tool.function.name);
  const said = messageOf(script(messages, names));
  dialogues.push({ messages: [...messages, said], ...(names.length > 0 && { tools: names.map(named) }) });
  const calls = said.tool_calls?.map((call, index) => ({ ...call, id: `call_${dialogues.length}_${index}` }));
  const message = { role: 'assistant', content: said.content, ...(calls && { tool_calls: calls }) };
  const finish_reason = calls ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const whole = { id: `chatcmpl-${dialogues.length}`, created: 0, model: 'expert' };
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const choices = [{ index: 0, message: { ...message, refusal: null }, logprobs: null, finish_reason }];
    response.end(JSON.stringify({ ...whole, object: 'chat.completion', choices, usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (choices: object[], more = {}) =>
    response.write(`data: ${JSON.stringify({ ...whole, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
  const delta = { ...message, ...(calls && { tool_calls: calls.map((call, index) => ({ ...call, index })) }) };
  chunk([{ index: 0, delta, finish_reason: null }]);
  chunk([{ index: 0, delta: {}, finish_reason }]);
  chunk([], { usage });
  response.end('data: [DONE]\n\n');
}

function messageOf(said: Said): Message {
  if (typeof said === 'string') return { role: 'assistant', content: said };
  const tool_calls = said.map(([name, args]) => ({
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: 'assistant', content: '', tool_calls };
}

/** Converts a message as a chat template writes it: content as one text, tool calls without ids. */
function plain({ role, content, tool_calls }: RawMessage): Message {
  const text = Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : (content ?? '');
  const calls = tool_calls?.map(({ function: { name, arguments: args } }) => ({
    type: 'function' as const,
    function: { name, arguments: args },
  }));
  return { role: role === 'developer' ? 'system' : role, content: text, ...(calls && { tool_calls: calls }) };
}

/** Describes a tool by its name only, since the template writes only names. */
const named = (name: string) => ({ type: 'function' as const, function: { name, parameters: { type: 'object' } } });

/** Returns the dialogues that no later dialogue continues, the leaves of the recorded tree. */
export function wholeDialogues(dialogues: readonly Dialogue[]): Dialogue[] {
  const texts = dialogues.map(({ messages, tools = [] }) => JSON.stringify({ tools, messages }).slice(0, -2));
  return dialogues.filter((_, i) => !texts.some((text, j) => j > i && text.startsWith(texts[i])));
}
