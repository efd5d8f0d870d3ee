// Implements the chat templates Llama-2, Llama-3, ChatML and ChatGLM-4 as AgentGym does: every message is tokenised separately
// and the ids are concatenated, so that the tokens of earlier messages never change.
// Source: AgentGym's rollouts (agentenv/controller) and its BCTrainer; Llama 2's system prompt: arXiv:2307.09288, section 3.3.
// Differs from AgentGym, unless `upstreamLossMask` is set: ChatGLM-4 ends a reply with the token that begins the next user
// message, and this token is in the loss, so that the model learns to stop.
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import {
  ChatTemplateError,
  isWithoutEnd,
  lossWeight,
  type ChatMessage,
  type ChatTemplate,
  type Conversation,
  type EncodedConversation,
  type PromptEnding,
  type TemplateInputs,
} from './chat-message.js';
import { sayingKeys, wordsFor } from './left-out.js';
import { openText } from './open-message.js';

export type BuiltInTemplate = 'llama2' | 'llama3' | 'chatml' | 'chatglm4' | 'llama2_bc';

export interface BuiltInTemplateOptions {
  /**
   * Whether the loss mask is AgentGym's: the assistant header is trained on, ChatGLM-4's stop token is not, and llama2_bc also trains
   * on messages with loss false.
   */
  upstreamLossMask?: boolean;
}

/** A section of a message: text that the model only reads (not in the loss), or writes, with the token that ends it. */
interface Piece {
  read?: string;
  written?: string;
  end?: string;
}

interface TextMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
  loss?: boolean | number;
  cut?: boolean;
}

type Pieces = (
  message: TextMessage,
  place: { index: number; system: string | null; before: TextMessage | undefined },
) => Piece[];

interface Style {
  pieces: Pieces;
  /** The text that a prompt ends with, before the assistant's reply. */
  prompt: string;
  terminator: string;
  /** Further tokens that may end the assistant's message, if the tokenizer has them. */
  otherTerminators?: readonly string[];
  /** Whether the system message is part of the first user message. */
  foldsSystem: boolean;
}

const instruction = (content: string, index: number, system: string | null) =>
  `<s>[INST] ${index === 0 && system !== null ? `<<SYS>>\n${system}\n<</SYS>>\n\n` : ''}${content} [/INST]`;

/** ChatML's system message for dialogues without one, in AgentGym's spelling without a full stop. */
const DEFAULT_SYSTEM = 'You are a helpful assistant';

const turn = (role: string, content: string) => `<|im_start|>${role}\n${content}<|im_end|>\n`;

const header = (role: string) => `<|start_header_id|>${role}<|end_header_id|>\n\n`;

const styles: Record<BuiltInTemplate, Style> = {
  llama2: {
    pieces: ({ role, content }, { index, system }) =>
      role === 'assistant' ? [{ written: `${content}</s>` }] : [{ read: instruction(content, index, system) }],
    prompt: '',
    terminator: '</s>',
    foldsSystem: true,
  },
  // AgentGym's BCTrainer: the space before an assistant's message is a separate token, absent in the form of rollouts.
  llama2_bc: {
    pieces: ({ role, content }, { index, system }) =>
      role === 'assistant'
        ? [{ written: ` ${content}`, end: '</s>' }]
        : [{ read: instruction(content, index, system) }],
    prompt: '',
    terminator: '</s>',
    foldsSystem: true,
  },
  // Generation stops at <|im_end|>, so the line end that follows other messages is absent.
  chatml: {
    pieces: ({ role, content }, { index }) => [
      ...(index === 0 && role !== 'system' ? [{ read: turn('system', DEFAULT_SYSTEM) }] : []),
      ...(role === 'assistant'
        ? [{ read: '<|im_start|>assistant\n' }, { written: `${content}<|im_end|>` }]
        : [{ read: turn(role, content) }]),
    ],
    prompt: '<|im_start|>assistant\n',
    terminator: '<|im_end|>',
    foldsSystem: false,
  },
  // Llama 3's template removes whitespace from the end of each message.
  llama3: {
    pieces: ({ role, content }, { index }) => [
      ...(index === 0 ? [{ read: '<|begin_of_text|>' }] : []),
      { read: header(role) },
      { [role === 'assistant' ? 'written' : 'read']: `${content.replace(/[ \n\t]+$/, '')}<|eot_id|>` },
    ],
    prompt: header('assistant'),
    terminator: '<|eot_id|>',
    otherTerminators: ['<|end_of_text|>'],
    foldsSystem: false,
  },
  // ChatGLM-4 has no token that ends a message; an assistant's message ends with the token that begins the next user message.
  chatglm4: {
    pieces: ({ role, content }, { index, before }) => [
      ...(index === 0 ? [{ read: '[gMASK]<sop>' }] : []),
      ...(role === 'assistant'
        ? [{ read: '<|assistant|>\n' }, { written: content, end: '<|user|>' }]
        : [{ read: `${role === 'user' && before?.role === 'assistant' ? '' : `<|${role}|>`}\n${content}` }]),
    ],
    prompt: '<|assistant|>\n',
    terminator: '<|user|>',
    otherTerminators: ['<|endoftext|>', '<|observation|>'],
    foldsSystem: false,
  },
};

/** The texts that each template needs as single tokens; a tokenizer that is made for a new model gets them. */
export const templateMarks: Record<BuiltInTemplate, readonly string[]> = {
  llama2: ['<s>', '</s>', '[INST]', ' [/INST]'],
  llama2_bc: ['<s>', '</s>', '[INST]', ' [/INST]'],
  chatml: ['<|im_start|>', '<|im_end|>'],
  llama3: ['<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>'],
  chatglm4: ['[gMASK]', '<sop>', '<|user|>', '<|assistant|>', '<|system|>'],
};

export class BuiltInChatTemplate implements ChatTemplate {
  readonly terminatorIds: readonly number[];
  readonly ownVariables = [];
  readonly source: string;
  readonly #style: Style;

  constructor(
    private readonly kind: BuiltInTemplate,
    private readonly tokenizer: Tokenizer,
    private readonly options: BuiltInTemplateOptions = {},
  ) {
    this.#style = styles[kind];
    this.source = kind;
    const { terminator, otherTerminators = [] } = this.#style;
    this.terminatorIds = [
      this.#token(terminator),
      ...otherTerminators.flatMap((spelling) => tokenizer.tokenToId(spelling) ?? []),
    ];
  }

  encodeConversation(messages: readonly ChatMessage[], inputs: TemplateInputs = {}): EncodedConversation[] {
    const { ids, lossMask } = this.#encoded(messages, inputs);
    return [{ ids, lossMask }];
  }

  leavesOut({ messages, inputs = {} }: Conversation): string[] {
    const ofInputs = (['tools', 'documents'] as const).filter((key) => isFilled(inputs[key]));
    const ofMessages = messages.flatMap((message) => {
      const isWritten = ROLES.includes(message.role);
      return sayingKeys(message)
        .filter((key) => !(isWritten && key === 'content'))
        .map((key) => wordsFor(key, message));
    });
    return [...new Set([...ofInputs, ...ofMessages])];
  }

  /**
   * `isOpen`: the last message has no end, so that the model continues it. Returns also `ends`: the number of tokens up to each
   * message's end.
   */
  #encoded(
    messages: readonly ChatMessage[],
    inputs: TemplateInputs,
    isOpen = false,
  ): EncodedConversation & { ends: number[] } {
    const { upstreamLossMask = false } = this.options;
    const ids: number[] = [];
    const lossMask: number[] = [];
    const ends: number[] = [];
    const add = (some: readonly number[], mask: number) => {
      for (const id of some) {
        ids.push(id);
        lossMask.push(mask);
      }
    };
    const { folded, system } = this.#folded(this.#texts(messages, inputs));
    if (system !== null) ends.push(0);
    folded.forEach((message, index) => {
      const weight = upstreamLossMask && this.kind === 'llama2_bc' ? 1 : lossWeight(message);
      const mask = message.role === 'assistant' && !isWithoutEnd(message) ? weight : 0;
      const place = { index, system, before: folded[index - 1] };
      const pieces = this.#style.pieces(message, place);
      const isLast = index === folded.length - 1;
      for (const { read, written, end } of isOpen && isLast ? pieces.map((piece) => this.#opened(piece)) : pieces) {
        const ownHeader = upstreamLossMask && read === this.#style.prompt && message.role === 'assistant';
        if (read !== undefined) add(this.tokenizer.encode(read), ownHeader ? mask : 0);
        const open = message.cut ? this.#opened({ written }).written : written;
        if (open !== undefined) add(this.tokenizer.encode(open), mask);
        if (open !== written) add(this.tokenizer.encode(written!.slice(open!.length)), 0);
        const learnsEnd = !message.cut && !(upstreamLossMask && this.kind === 'chatglm4');
        if (end !== undefined) add([this.#token(end)], learnsEnd ? mask : 0);
      }
      ends.push(ids.length);
    });
    return { ids, lossMask, ends };
  }

  *writePromptInSteps(
    messages: readonly ChatMessage[],
    inputs: TemplateInputs = {},
    ending: PromptEnding = 'reply',
  ): Generator<undefined, () => number[]> {
    if (ending === 'reply') return () => this.encodePrompt(messages, inputs);
    if (ending === 'open') openText(messages); // throws if the last message cannot be continued
    return () => this.#encoded(messages, inputs, ending === 'open').ids;
  }

  encodePrompt(messages: readonly ChatMessage[], inputs: TemplateInputs = {}): number[] {
    const { ids } = this.#encoded(messages, inputs);
    return this.#style.prompt === '' ? ids : [...ids, ...this.tokenizer.encode(this.#style.prompt)];
  }

  #opened({ read, written }: Piece): Piece {
    const { terminator } = this.#style;
    return { read, written: written?.endsWith(terminator) ? written.slice(0, -terminator.length) : written };
  }

  /** The tokens that follow those of the messages before `from`; never null, unlike in other templates. */
  encodeContinuation(messages: readonly ChatMessage[], from: number): number[] {
    const { ends } = this.#encoded(messages, {});
    return [this.terminatorIds[0], ...this.encodePrompt(messages).slice(ends[from - 1])];
  }

  /** Returns the messages if their contents are texts. @throws {ChatTemplateError} if a message has anything else than text */
  #texts(messages: readonly ChatMessage[], { tools, documents, variables }: TemplateInputs): TextMessage[] {
    const given = Object.entries({ tools, documents, chat_template_kwargs: variables });
    const unused = given.find(([, value]) => value !== undefined && Object.keys(value).length > 0);
    if (unused) throw this.#unknown(`has no place for ${unused[0]}`);
    return messages.map(({ role, content, loss, cut, ...more }) => {
      if (!isTextRole(role)) throw this.#unknown(`has no role '${role}'`);
      const further = ['tool_calls', 'reasoning_content', 'thinking'].find((key) => isFilled(more[key]));
      if (further !== undefined) throw this.#unknown(`has no place for a message's ${further}`);
      const parts = typeof content === 'string' || !content ? [{ type: 'text', text: content ?? '' }] : content;
      if (parts.some(({ text }) => typeof text !== 'string'))
        throw this.#unknown('takes text only, not other parts of a message');
      const written = parts.map(({ text }) => text as string).join('');
      return { role, content: written, ...(loss !== undefined && { loss }), ...(cut && { cut }) };
    });
  }

  #unknown(problem: string): ChatTemplateError {
    return new ChatTemplateError(
      `'${this.kind}' ${problem}`,
      'use the model’s own template (chat.template=null), chat.template=tools, or a file of Jinja',
    );
  }

  #folded(messages: readonly TextMessage[]): { folded: readonly TextMessage[]; system: string | null } {
    const [first] = messages;
    if (!this.#style.foldsSystem || first?.role !== 'system') return { folded: messages, system: null };
    return { folded: messages.slice(1), system: first.content };
  }

  #token(spelling: string): number {
    const id = this.tokenizer.tokenToId(spelling);
    if (id === undefined)
      throw new ChatTemplateError(
        `'${this.kind}' needs the token '${spelling}', which this tokenizer does not have`,
        'choose the template that the model was trained with',
      );
    return id;
  }
}

const ROLES: readonly string[] = ['system', 'user', 'assistant'] satisfies TextMessage['role'][];

const isTextRole = (role: ChatMessage['role']): role is TextMessage['role'] => ROLES.includes(role);

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
