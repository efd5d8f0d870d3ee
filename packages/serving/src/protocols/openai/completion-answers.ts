// The forms of OpenAI's answers: chat completions and completions, whole or as pieces of a stream, lists of models, errors.
// Source: platform.openai.com/docs/api-reference.

import { excerpt } from '../../http/excerpt.js';
import type { Choice, Usage } from '../../generation/answer.js';
import { escaped, textOf, type Alternative, type TokenLogprob } from '../../generation/token-logprobs.js';

export type AnswerKind = 'chat' | 'text';

/** The fields that all pieces of an answer have in common. */
export interface AnswerHead {
  kind: AnswerKind;
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
}

/** How tokens are named: by their texts, or as `token_id:N`. */
export type TokenNames = 'texts' | 'ids';

export function wholeAnswer(
  { kind, ...head }: AnswerHead,
  choices: readonly Choice[],
  usage: Usage,
  names: TokenNames = 'texts',
): object {
  const isChat = kind === 'chat';
  return {
    ...head,
    object: isChat ? 'chat.completion' : 'text_completion',
    ...(isChat && promptIds(choices[0])),
    choices: choices.map((choice) => ({
      index: choice.index,
      ...(isChat ? { message: message(choice) } : { text: choice.text }),
      logprobs: logprobs(kind, choice.tokens, names),
      finish_reason: choice.finishReason,
      ...choiceIds(kind, choice),
    })),
    usage: counts(usage),
  };
}

/** A piece of a stream; the first of a chat's choice contains the role. */
export function answerPiece(
  { kind, ...head }: AnswerHead,
  choice: Choice,
  isFirst: boolean,
  names: TokenNames = 'texts',
): object {
  const isChat = kind === 'chat';
  const delta = {
    ...(isFirst && { role: 'assistant' }),
    ...(choice.finishReason === null && (choice.text !== '' || !hasParts(choice)) && { content: choice.text }),
    ...parts(choice, true),
  };
  return {
    ...head,
    object: isChat ? 'chat.completion.chunk' : 'text_completion',
    ...(isChat && promptIds(choice)),
    choices: [
      {
        index: choice.index,
        ...(isChat ? { delta } : { text: choice.text }),
        logprobs: logprobs(kind, choice.tokens, names),
        finish_reason: choice.finishReason,
        ...choiceIds(kind, choice),
      },
    ],
  };
}

const hasParts = ({ reasoning = '', calls = [] }: Choice) => reasoning !== '' || calls.length > 0;

/** An answer of nothing but calls has no content. */
const message = (choice: Choice) => ({
  role: 'assistant',
  content: choice.text === '' && (choice.calls ?? []).length > 0 ? null : choice.text,
  refusal: null,
  ...parts(choice, false),
});

/** `reasoning_content` is vLLM's field. Calls of a stream are counted. */
const parts = ({ reasoning = '', calls = [] }: Choice, isPiece: boolean) => ({
  ...(reasoning !== '' && { reasoning_content: reasoning }),
  ...(calls.length > 0 && {
    tool_calls: calls.map(({ index, id, name, arguments: args }) => ({
      ...(isPiece && { index }),
      id,
      type: 'function',
      function: { name, arguments: args },
    })),
  }),
});

/** In vLLM's places: at the root for a chat, in the choice for a completion. */
const promptIds = ({ ids }: Choice) => ids?.prompt && { prompt_token_ids: ids.prompt };

const choiceIds = (kind: AnswerKind, choice: Choice) =>
  choice.ids && { token_ids: choice.ids.text, ...(kind === 'text' && promptIds(choice)) };

/** The last piece of a stream whose tokens are to be counted. */
export const usagePiece = ({ kind, ...head }: AnswerHead, usage: Usage): object => ({
  ...head,
  object: kind === 'chat' ? 'chat.completion.chunk' : 'text_completion',
  choices: [],
  usage: counts(usage),
});

export const modelEntry = (id: string, created: number, contextLength: number): object => ({
  id,
  object: 'model',
  created,
  owned_by: 'bowyer',
  max_model_len: contextLength,
});

/** In characters: a message does not repeat a long input. */
const LONGEST_ERROR = 1000;

export const errorBody = (
  message: string,
  type: string,
  { param = null, code = null }: { param?: string | null; code?: string | null } = {},
): object => ({ error: { message: excerpt(message, LONGEST_ERROR), type, param, code } });

const counts = ({ promptTokens, completionTokens }: Usage) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});

function logprobs(kind: AnswerKind, tokens: readonly TokenLogprob[] | null, names: TokenNames): object | null {
  if (tokens === null) return null;
  const entry = ({ logprob, ...token }: Alternative) => ({
    token: nameOf(kind, token, names),
    logprob,
    bytes: [...token.bytes],
  });
  if (kind === 'text')
    return {
      tokens: tokens.map((token) => nameOf(kind, token, names)),
      token_logprobs: tokens.map(({ logprob }) => logprob),
      top_logprobs: tokens.some(({ topLogprobs }) => topLogprobs.length > 0)
        ? tokens.map((token) => byName(token, names))
        : null,
      text_offset: tokens.map(({ offset }) => offset),
    };
  return {
    content: tokens.map((token) => ({ ...entry(token), top_logprobs: token.topLogprobs.map(entry) })),
    refusal: null,
  };
}

/** Parts of characters are written as OpenAI's two APIs do. */
function nameOf(kind: AnswerKind, { id, bytes }: Pick<Alternative, 'id' | 'bytes'>, names: TokenNames): string {
  if (names === 'ids') return `token_id:${id}`;
  return textOf(bytes) ?? `${kind === 'text' ? 'bytes:' : ''}${escaped(bytes)}`;
}

/** The generated token is always among them, by its name; if others share a name, the most likely of them has it. */
function byName(generated: TokenLogprob, names: TokenNames): Record<string, number | null> {
  const others = generated.topLogprobs.filter(({ id }) => id !== generated.id);
  const taken = new Map<string, number>();
  for (const token of [generated, ...others]) {
    const name = nameOf('text', token, names);
    taken.set(taken.has(name) ? `token_id:${token.id}` : name, token.id);
  }
  const named = new Map([...taken].map(([name, id]) => [id, name]));
  const inOrder = [...generated.topLogprobs, generated].map(({ id, logprob }) => [named.get(id)!, logprob] as const);
  return Object.fromEntries(inOrder);
}
