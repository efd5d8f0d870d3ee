// An endpoint in OpenAI's form (POST …/chat/completions, whole or streamed), whose answers come from a script.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Message, Said } from './example.js';

interface ChatRequest {
  messages: RawMessage[];
  tools?: { function: { name: string } }[];
  stream?: boolean;
}

type RawMessage = Omit<Message, 'content' | 'role'> & {
  role: Message['role'] | 'developer';
  content?: string | { text?: string }[] | null;
};

type Script = (messages: readonly Message[], tools: readonly string[]) => Said;

export async function scriptedEndpoint(script: Script): Promise<{ baseURL: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void answer(request, response, script));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close };
}

async function answer(request: IncomingMessage, response: ServerResponse, script: Script): Promise<void> {
  const { messages, tools = [], stream = false } = (await json(request)) as ChatRequest;
  const said = script(
    messages.map(plain),
    tools.map((tool) => tool.function.name),
  );
  const calls =
    typeof said !== 'string' &&
    said.map(([name, args], index) => ({
      index,
      id: `call_${messages.length}_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
  const message = { role: 'assistant', content: calls ? '' : said, ...(calls && { tool_calls: calls }) };
  const finish_reason = calls ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const whole = { id: 'chatcmpl-1', created: 0, model: 'expert', usage };
  response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason }];
    response.end(JSON.stringify({ ...whole, object: 'chat.completion', choices }));
    return;
  }
  const choices = [{ index: 0, delta: message, finish_reason }];
  response.end(`data: ${JSON.stringify({ ...whole, object: 'chat.completion.chunk', choices })}\n\ndata: [DONE]\n\n`);
}

/** Reads the content of a message as one text. */
function plain({ role, content, ...message }: RawMessage): Message {
  const text = Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : (content ?? '');
  return { ...message, role: role === 'developer' ? 'system' : role, content: text };
}
