// Reads the model calls in OpenTelemetry spans, from the attributes of its conventions for generative AI: gen_ai.input.messages,
// gen_ai.output.messages, gen_ai.system_instructions, gen_ai.tool.definitions. Their values are structures or JSON text, and may
// be in an event gen_ai.client.inference.operation.details of the span. Source: open-telemetry/semantic-conventions, docs/gen-ai
// (gen-ai-input-messages.json, gen-ai-output-messages.json).
import { asRecord, BadItem, found } from '../files/data-error.js';
import { jsonValue } from '../files/json-value.js';
import type { UnreadKeys } from '../files/unread-keys.js';
import type { GenAiSpan, SpanCall } from './spans.js';
import { isCut } from './cut-answers.js';
import { answerText, recordsOf, toolAnswer, toolCall } from './part-text.js';

type Item = Readonly<Record<string, unknown>>;

/** Operations of agents and workflows. Their spans are skipped, since they repeat the messages of the model calls within them. */
const NOT_CALLS = [
  'invoke_agent',
  'create_agent',
  'invoke_workflow',
  'agent_step',
  'execute_tool',
  'embeddings',
  'rerank',
];

const DETAILS = 'gen_ai.client.inference.operation.details';

/** Converts a span to a conversation; null if it is not a model call, or lacks the messages. */
export function genAiCall({ attributes, events }: GenAiSpan, keys: UnreadKeys): SpanCall | null {
  const all: Item = Object.assign(
    {},
    attributes,
    ...events.filter(({ name }) => name === DETAILS).map((event) => event.attributes),
  );
  if (NOT_CALLS.includes(String(all['gen_ai.operation.name']))) return null;
  const input = jsonOf(all, 'gen_ai.input.messages');
  const output = jsonOf(all, 'gen_ai.output.messages');
  if (input === undefined || output === undefined) return null;
  const answers = recordsOf(output, "'gen_ai.output.messages'");
  if (answers.length !== 1)
    throw new BadItem(`'gen_ai.output.messages' has ${answers.length} answers; spans with one are read`);
  const system = recordsOf(jsonOf(all, 'gen_ai.system_instructions') ?? [], "'gen_ai.system_instructions'");
  const given = [...recordsOf(input, "'gen_ai.input.messages'"), ...answers.map((answer) => withReason(answer, all))];
  const instructions = system.map((part) => textOf(part, 'the system instructions')).join('\n');
  const between = BLOCKS_OF.includes(String(all['gen_ai.provider.name'] ?? all['gen_ai.system'])) ? '\n' : '';
  return {
    messages: [
      ...(instructions === '' ? [] : [{ role: 'system', content: instructions }]),
      ...given.flatMap((message, i) => messagesOf(message, { what: `message ${i + 1}`, between, keys })),
    ],
    tools: toolsOf(jsonOf(all, 'gen_ai.tool.definitions')),
  };
}

/** Providers whose messages consist of content blocks. In a prompt, the texts of the blocks are joined by line breaks. */
const BLOCKS_OF = ['anthropic'];

/** Returns an answer with its finish reason, which may be an attribute of the span instead of the answer. */
function withReason(answer: Item, attributes: Item): Item {
  const [reason] = [attributes['gen_ai.response.finish_reasons']].flat() as unknown[];
  return isCut(reason) ? { ...answer, finish_reason: reason } : answer;
}

/** Returns the value of an attribute; if it is JSON text, the parsed value. */
export function jsonOf(attributes: Item, name: string): unknown {
  const value = attributes[name] ?? undefined;
  if (typeof value !== 'string') return value;
  try {
    return jsonValue(value);
  } catch (error) {
    if (error instanceof BadItem) throw new BadItem(`'${name}' ${error.message}`);
    throw new BadItem(
      `'${name}' is a text that is not JSON; a limit of the exporter may have cut it (OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT)`,
    );
  }
}

interface Place {
  what: string;
  /** The separator between the text parts of a message that the model did not sample. */
  between: string;
  keys: UnreadKeys;
}

/** Converts a message. Tool results, which may be parts of a message of any role, become messages of the role `tool`. */
function messagesOf({ role: given, parts, finish_reason: reason }: Item, place: Place): Record<string, unknown>[] {
  const { what, between, keys } = place;
  const role = given === 'model' ? 'assistant' : given; // Gemini's name for the assistant
  const messages: Record<string, unknown>[] = [];
  let texts: string[] = [];
  const thoughts: string[] = [];
  const calls: Record<string, unknown>[] = [];
  const addTexts = () => {
    const content = texts.join(role === 'assistant' ? '' : between);
    if (content !== '') messages.push({ role: role === 'tool' ? 'user' : role, content });
    texts = [];
  };
  for (const part of recordsOf(parts, `'parts' of ${what}`)) {
    const { type, id, name, response, result } = part;
    if (type === 'tool_call') calls.push(toolCall(id, name, part.arguments));
    else if (type === 'tool_call_response') {
      if (role !== 'assistant') addTexts();
      messages.push(toolAnswer(id, answerText(response ?? result)));
    } else if (type === 'reasoning') thoughts.push(textOf(part, what, 'reasoning'));
    else if (type === 'tool_approval_response') keys.leaveOut('tool_approval_response');
    else texts.push(textOf(part, what));
  }
  if (role === 'assistant') {
    const said = {
      role,
      content: texts.join(''),
      ...(thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(isCut(reason) && { finish_reason: reason }),
    };
    return [said, ...messages];
  }
  if (role === 'tool' && messages.length === 0 && texts.join('') !== '')
    throw new BadItem(`${what} is of a tool and has text alone; its result is a part of type "tool_call_response"`);
  addTexts();
  if (calls.length > 0 || thoughts.length > 0)
    throw new BadItem(`${what} has calls or reasoning, and its role is ${JSON.stringify(role)}, not "assistant"`);
  return messages.length > 0 || role === 'tool' ? messages : [{ role, content: '' }];
}

function textOf({ type, content }: Item, what: string, expected = 'text'): string {
  if (type === expected && typeof content === 'string') return content;
  throw new BadItem(
    `${what} has a part of type ${JSON.stringify(type)} with ${found(content)}; parts of text, reasoning and tools are read`,
  );
}

/** Converts tools to those of Chat Completions. Some lack the outer object with `function`, or call the schema `inputSchema`. */
export function toolsOf(tools: unknown): unknown {
  if ((tools ?? null) === null) return undefined;
  const list = Array.isArray(tools)
    ? tools
    : Object.entries(asRecord(tools) ?? {}).map(([name, tool]) => ({ name, ...asRecord(tool) }));
  return recordsOf(list, "'gen_ai.tool.definitions'").map((tool) => {
    const { name, description, parameters, inputSchema, function: nested } = tool;
    const schema = parameters ?? asRecord(inputSchema)?.jsonSchema ?? inputSchema ?? {};
    return {
      type: 'function',
      function: nested ?? { name, ...(description !== undefined && { description }), parameters: schema },
    };
  });
}
