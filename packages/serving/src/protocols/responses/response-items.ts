// Builds the output items of one response (messages, reasoning, function calls) while the answer is generated, and the events
// that report them to the client of a stream. Source: platform.openai.com/docs/api-reference/responses-streaming.
import type { ResponseTools } from '@bowyer/conversations';
import { randomUUID } from 'node:crypto';
import type { Choice } from '../../generation/answer.js';
import type { TokenLogprob } from '../../generation/token-logprobs.js';
import type { CalledTool } from '../../tool-calls/part-streamer.js';
import { chatLogprobs } from '../openai/chat-logprobs.js';
import type { Item } from './stored-responses.js';

/** An event of a stream, without the sequence number that the writer adds. */
export interface ItemEvent {
  type: string;
  [name: string]: unknown;
}

type Kind = 'reasoning' | 'message' | 'function_call';

interface OpenItem {
  kind: Kind;
  item: Item;
  /** The text of the item so far, which is content, reasoning or arguments. */
  text: string;
  /** The tokens of the text with their log-probabilities, if the request asks for them. */
  tokens: TokenLogprob[];
  call?: CalledTool;
}

interface ItemOptions {
  /** Whether the response contains the reasoning as a summary. */
  summarizes: boolean;
  /** Whether reasoning is also sent in the field `encrypted_content`, which clients send back without reading it. */
  sendsEncrypted: boolean;
  /** The tools that have a namespace, by the names under which the model calls them. */
  spaced: ResponseTools['spaced'];
}

const prefixes: Readonly<Record<Kind, string>> = { reasoning: 'rs', message: 'msg', function_call: 'fc' };

export class ResponseItems {
  readonly #done: Item[] = [];
  #open: OpenItem | null = null;

  constructor(private readonly options: ItemOptions) {}

  get items(): readonly Item[] {
    return this.#done;
  }

  add({ reasoning = '', text, calls = [], tokens }: Choice): ItemEvent[] {
    const events: ItemEvent[] = [];
    if (reasoning !== '') events.push(...this.#begin('reasoning'), this.#reasoningDelta(reasoning));
    if (text !== '') {
      const logprobs = chatLogprobs(tokens ?? [], 'texts');
      events.push(...this.#begin('message'), this.#delta('response.output_text.delta', text, { logprobs }));
      for (const token of tokens ?? []) this.#open!.tokens.push(token);
    }
    for (const call of calls) {
      events.push(...this.#begin('function_call', call));
      if (call.arguments !== '')
        events.push(this.#delta('response.function_call_arguments.delta', call.arguments, {}, false));
    }
    return events;
  }

  /** Adds an empty message to a response without items, since clients expect one. @param status of the last item */
  end(status: 'completed' | 'incomplete'): ItemEvent[] {
    const events = this.#open === null && this.#done.length === 0 ? this.#begin('message') : [];
    return [...events, ...this.#close(status)];
  }

  /** Begins an item, and ends the open one; does nothing if the open item is the same. */
  #begin(kind: Kind, call?: CalledTool): ItemEvent[] {
    if (this.#open?.kind === kind && this.#open.call?.index === call?.index) return [];
    const closed = this.#close('completed');
    const id = `${prefixes[kind]}_${randomUUID().replaceAll('-', '')}`;
    const item: Item = { id, type: kind, status: 'in_progress', ...emptyItem(kind, call, this.options) };
    this.#open = { kind, item, text: '', tokens: [], call };
    const added = { type: 'response.output_item.added', output_index: this.#done.length, item };
    if (kind === 'function_call') return [...closed, added];
    return [...closed, added, this.#part('added')];
  }

  #reasoningDelta(text: string): ItemEvent {
    const { summarizes } = this.options;
    return this.#delta(`response.reasoning_${summarizes ? 'summary_' : ''}text.delta`, text);
  }

  #delta(type: string, delta: string, more: object = {}, hasPart = true): ItemEvent {
    this.#open!.text += delta;
    return { type, ...this.#place(), ...(hasPart && this.#partIndex()), delta, ...more };
  }

  #place(): { item_id: string; output_index: number } {
    return { item_id: this.#open!.item.id, output_index: this.#done.length };
  }

  #isSummary(): boolean {
    return this.#open!.kind === 'reasoning' && this.options.summarizes;
  }

  #partIndex(): object {
    return this.#isSummary() ? { summary_index: 0 } : { content_index: 0 };
  }

  /** Returns the event for the beginning or the end of the content part or summary part that the open item has. */
  #part(what: 'added' | 'done'): ItemEvent {
    const type = `response.${this.#isSummary() ? 'reasoning_summary_part' : 'content_part'}.${what}`;
    const open = this.#open!;
    return { type, ...this.#place(), ...this.#partIndex(), part: partOf(open, this.options) };
  }

  #close(status: 'completed' | 'incomplete'): ItemEvent[] {
    const open = this.#open;
    if (open === null) return [];
    const { text } = open;
    const place = this.#place();
    const item = { ...open.item, status, ...wholeItem(open, this.options) };
    const events: ItemEvent[] =
      open.kind === 'function_call'
        ? [{ type: 'response.function_call_arguments.done', ...place, name: open.item.name, arguments: text }]
        : [
            {
              type: `${textEvent(open.kind, this.options)}.done`,
              ...place,
              ...this.#partIndex(),
              text,
              ...(open.kind === 'message' && { logprobs: chatLogprobs(open.tokens, 'texts') }),
            },
            this.#part('done'),
          ];
    events.push({ type: 'response.output_item.done', output_index: place.output_index, item });
    this.#done.push(item);
    this.#open = null;
    return events;
  }
}

const textEvent = (kind: Kind, { summarizes }: ItemOptions): string =>
  kind === 'message' ? 'response.output_text' : `response.reasoning_${summarizes ? 'summary_' : ''}text`;

function emptyItem(kind: Kind, call: CalledTool | undefined, { spaced }: ItemOptions): object {
  if (kind === 'message') return { role: 'assistant', content: [] };
  if (kind === 'reasoning') return { summary: [] };
  const { id, name } = call!;
  return { call_id: id, ...(spaced.get(name) ?? { name }), arguments: '' };
}

function partOf({ kind, text, tokens }: OpenItem, { summarizes }: ItemOptions): object {
  if (kind === 'message')
    return { type: 'output_text', text, annotations: [], logprobs: chatLogprobs(tokens, 'texts') };
  return { type: summarizes ? 'summary_text' : 'reasoning_text', text };
}

function wholeItem(open: OpenItem, options: ItemOptions): object {
  if (open.kind === 'function_call') return { arguments: open.text };
  const part = partOf(open, options);
  if (open.kind === 'message') return { content: [part] };
  return {
    ...(options.summarizes ? { summary: [part] } : { content: [part] }),
    ...(options.sendsEncrypted && { encrypted_content: Buffer.from(open.text).toString('base64') }),
  };
}
