// Agents in plain `fetch`: a request of OpenAI's chat completions, and a loop that calls tools until the model says something.
import type { AgentContext } from '@bowyer/agents';

export type Endpoint = Pick<AgentContext, 'baseURL' | 'apiKey'> & Partial<Pick<AgentContext, 'signal'>>;

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** A tool with arguments that are texts. */
export interface Tool {
  name: string;
  parameters: string[];
  execute(args: Readonly<Record<string, string>>): string;
}

/** Longest answer, in tokens. */
const MAX_TOKENS = 48;

/** @returns the model's message */
export async function complete(
  { baseURL, apiKey, signal }: Endpoint,
  messages: readonly ChatMessage[],
  tools: readonly Tool[] = [],
): Promise<ChatMessage> {
  const response = await fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      model: 'agent',
      max_tokens: MAX_TOKENS,
      messages,
      ...(tools.length > 0 && { tools: tools.map(declared) }),
    }),
    signal,
  });
  if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
  const { choices } = (await response.json()) as { choices: [{ message: ChatMessage }] };
  return choices[0].message;
}

const declared = ({ name, parameters }: Tool) => ({
  type: 'function',
  function: {
    name,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }])),
      required: parameters,
    },
  },
});

/**
 * Lets the model call tools until it says something.
 *
 * @returns what it has said; null where it has called tools in `rounds` messages and has said nothing
 */
export async function withTools(
  endpoint: Endpoint,
  question: string,
  tools: readonly Tool[],
  rounds: number,
): Promise<string | null> {
  const messages: ChatMessage[] = [{ role: 'user', content: question }];
  for (let round = 0; round <= rounds; round++) {
    const message = await complete(endpoint, messages, tools);
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return (message.content ?? '').trim();
    messages.push({ role: 'assistant', content: message.content ?? '', tool_calls: calls });
    for (const { id, function: call } of calls)
      messages.push({ role: 'tool', tool_call_id: id, content: executed(call, tools) });
  }
  return null;
}

function executed(call: { name: string; arguments: string }, tools: readonly Tool[]): string {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) return 'no such tool';
  let args: unknown;
  try {
    args = JSON.parse(call.arguments);
  } catch {
    return 'the arguments are not valid JSON';
  }
  const texts = Object.entries(args ?? {}).map(([key, value]) => [key, String(value)]);
  return tool.execute(Object.fromEntries(texts) as Record<string, string>);
}
