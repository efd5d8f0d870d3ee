// The answers of another endpoint, in all protocols, whole or streamed, as what they say.
import type { CallProtocol } from '@bowyer/serving';
import type { RecordedChoice, RecordedMessage } from '../../record/recorded.js';

/** One answer of an endpoint. */
export interface ForeignChoice {
  message: RecordedMessage;
  finishReason: RecordedChoice['finishReason'];
}

type Json = Record<string, unknown>;

/** @returns by the index of the choice; none where the text is no answer of the protocol */
export function foreignAnswer(protocol: CallProtocol, text: string, isStream: boolean): ForeignChoice[] {
  const pieces = isStream ? eventsOf(text) : [JSON.parse(text) as Json];
  if (protocol === 'chat-completions') return openaiChoices(pieces, isStream ? 'delta' : 'message');
  if (protocol === 'completions') return openaiChoices(pieces, 'text');
  if (protocol === 'messages') return [isStream ? blocksOf(pieces) : messageOf(pieces[0])];
  const whole = isStream ? pieces.findLast(({ response }) => response)?.response : pieces[0];
  return whole ? [responseOf(whole as Json)] : [];
}

/** The data of server-sent events. */
function eventsOf(text: string): Json[] {
  const data = text.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
  return data.filter((each) => each !== '' && each !== '[DONE]').map((each) => JSON.parse(each) as Json);
}

const empty = (): ForeignChoice => ({ message: { content: '', calls: [] }, finishReason: 'stop' });

/** Whole choices, or their pieces. */
function openaiChoices(pieces: readonly Json[], part: 'message' | 'delta' | 'text'): ForeignChoice[] {
  const choices: ForeignChoice[] = [];
  for (const piece of pieces)
    for (const each of (piece.choices ?? []) as Json[]) {
      const choice = (choices[Number(each.index ?? 0)] ??= empty());
      if (part === 'text') choice.message.content += String(each.text ?? '');
      else addMessage(choice.message, (each[part] ?? {}) as Json);
      if (each.finish_reason) choice.finishReason = reasonOf(each.finish_reason);
    }
  return choices.filter(Boolean);
}

function addMessage(message: RecordedMessage, added: Json): void {
  if (typeof added.content === 'string') message.content += added.content;
  const reasoning = added.reasoning_content ?? added.reasoning;
  if (typeof reasoning === 'string') addReasoning(message, reasoning);
  for (const [i, call] of ((added.tool_calls ?? []) as Json[]).entries()) {
    const known = (message.calls[Number(call.index ?? i)] ??= { id: '', name: '', arguments: '' });
    const called = (call.function ?? {}) as Json;
    if (typeof call.id === 'string') known.id = call.id;
    if (typeof called.name === 'string' && known.name === '') known.name = called.name;
    if (typeof called.arguments === 'string') known.arguments += called.arguments;
  }
}

function addReasoning(message: RecordedMessage, text: string): void {
  if (text !== '') message.reasoning = (message.reasoning ?? '') + text;
}

/** A message of Anthropic's from the events of its blocks. */
function blocksOf(events: readonly Json[]): ForeignChoice {
  const blocks: Json[] = [];
  let stop: unknown;
  for (const event of events) {
    const at = Number(event.index ?? 0);
    const delta = (event.delta ?? {}) as Json;
    if (event.type === 'content_block_start') blocks[at] = { ...(event.content_block as Json), json: '' };
    else if (event.type === 'content_block_delta') {
      const block = (blocks[at] ??= {});
      for (const [name, key] of [
        ['text', 'text'],
        ['thinking', 'thinking'],
        ['partial_json', 'json'],
      ])
        if (typeof delta[name] === 'string') block[key] = String(block[key] ?? '') + delta[name];
    } else if (event.type === 'message_delta') stop = delta.stop_reason ?? stop;
  }
  const content = blocks.map(({ json, ...block }) => (json ? { ...block, input: json } : block));
  return messageOf({ content, stop_reason: stop });
}

function messageOf({ content, stop_reason: stop }: Json): ForeignChoice {
  const choice = empty();
  const { message } = choice;
  for (const block of (content ?? []) as Json[])
    if (block.type === 'text') message.content += String(block.text ?? '');
    else if (block.type === 'thinking') addReasoning(message, String(block.thinking ?? ''));
    else if (block.type === 'tool_use') {
      const { id, name, input = {} } = block;
      message.calls.push({ id: String(id), name: String(name), arguments: argumentsOf(input) });
    }
  return { message, finishReason: reasonOf(stop) };
}

function responseOf({ output, status }: Json): ForeignChoice {
  const choice = empty();
  const { message } = choice;
  for (const item of (output ?? []) as Json[])
    if (item.type === 'message') message.content += textsOf(item.content);
    else if (item.type === 'reasoning') addReasoning(message, textsOf(item.content) || textsOf(item.summary));
    else if (item.type === 'function_call') {
      const { call_id: id, name, arguments: args } = item;
      message.calls.push({ id: String(id), name: String(name), arguments: argumentsOf(args) });
    }
  choice.finishReason = status === 'incomplete' ? 'length' : message.calls.length > 0 ? 'tool_calls' : 'stop';
  return choice;
}

const textsOf = (parts: unknown): string =>
  Array.isArray(parts) ? (parts as Json[]).map(({ text, refusal }) => String(text ?? refusal ?? '')).join('') : '';

const argumentsOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function reasonOf(reason: unknown): RecordedChoice['finishReason'] {
  if (reason === 'length' || reason === 'max_tokens') return 'length';
  return reason === 'tool_calls' || reason === 'tool_use' ? 'tool_calls' : 'stop';
}
