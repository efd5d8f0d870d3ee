// Converts a chat to a completion request: the chat template writes the prompt, which must fit into the context.
import { ChatTemplateError, textAsWritten, type TemplateInputs } from '@bowyer/text';
import { inTurns } from '../http/turn.js';
import { endOf, endsInThought, toolOf } from '../tool-calls/call-reader.js';
import { reasoningMarks } from '../tool-calls/reasoning.js';
import { callProblem, endIds, mayFrameAnswers } from '../tool-calls/call-style.js';
import { messagesFor } from '../tool-calls/history.js';
import { answerGrammar, type AnswerPlace } from './answer-grammar.js';
import type { ChatRequest } from './chat-request.js';
import type { CompletionRequest, Prompt, RequestReader } from './completion-request.js';
import { grammarKey, withBudget } from './grammar-key.js';
import type { WriteDialogue } from './prompt-writer.js';
import { checkCharacters, inSteps, tokenLimit, type PromptCut } from './request-bounds.js';
import { withinBudget } from './reasoning-budget.js';
import { BadRequestError } from './request-error.js';

/** Throws BadRequestError if the chat cannot fit into the context, as its number of characters may show before encoding. */
export async function writtenChat(
  chat: ChatRequest,
  reader: RequestReader,
  signal: AbortSignal,
): Promise<CompletionRequest> {
  try {
    return await written(chat, reader, signal);
  } catch (error) {
    throw await withToolTokens(error, chat, reader, signal);
  }
}

async function written(chat: ChatRequest, reader: RequestReader, signal: AbortSignal): Promise<CompletionRequest> {
  const { messages, settings, template, ending } = chat;
  const ids = await promptIds(chat, reader, signal);
  const prompts = [{ ids, echo: '' }];
  const opened = ending === 'open' ? (messages.at(-1)!.content as string) : null;
  const parts = partsOf(chat, { ids, opened }, reader);
  const maxTokens = limitOf(chat, prompts, reader);
  const stopIds = [
    ...settings.stopIds,
    ...(template === reader.template ? [] : template.terminatorIds),
    ...(parts?.style ? endIds(reader.tokenizer, parts.style.format) : []),
  ];
  const place = { parts, mayReason: parts !== null && mayReason(ids, reader) };
  const made = budgeted(await constraintOf(chat, place, reader), chat, parts, reader);
  signal.throwIfAborted();
  const dialogue = { messages, inputs: chat.inputs, template, constraint: made.constraint && made.key };
  const continuesText = opened !== null;
  return {
    ...settings,
    stopIds,
    prompts,
    parts,
    constraint: made.constraint,
    continuesText,
    maxTokens,
    chat: dialogue,
  };
}

const WHOLE: PromptCut = Object.assign((ids: number[]) => ids, { cuts: true });

/** Adds to the error how many of the chat's tokens are tools, since an agent sends the same tools in every chat. */
async function withToolTokens(
  error: unknown,
  chat: ChatRequest,
  reader: RequestReader,
  signal: AbortSignal,
): Promise<unknown> {
  const { tools = [], ...others } = chat.inputs;
  if (!(error instanceof BadRequestError) || error.code !== 'context_length_exceeded' || tools.length === 0)
    return error;
  const lengthWith = async (inputs: TemplateInputs): Promise<number> => {
    const shortest = {
      ...chat,
      messages: [{ role: 'user', content: '.' }],
      inputs,
      ending: 'reply',
      cut: WHOLE,
    } as const;
    return (await promptIds(shortest, { ...reader, prompt: undefined }, signal)).length;
  };
  try {
    const tokens = (await lengthWith(chat.inputs)) - (await lengthWith(others));
    if (tokens <= 0) return error; // the template does not write tools into the prompt
    return new BadRequestError(`${error.message} The tools alone take ${tokens} tokens.`, error.param, error.code);
  } catch {
    return error; // the template refuses the chat, or the tools are too long to be encoded
  }
}

function limitOf(
  { maxTokens, limitGivesWay, names }: ChatRequest,
  prompts: readonly Prompt[],
  reader: RequestReader,
): number {
  if (maxTokens === null || !limitGivesWay) return tokenLimit(maxTokens, names.messages, prompts, reader);
  return tokenLimit(null, names.messages, prompts, { ...reader, defaults: { maxTokens } });
}

interface MadeConstraint {
  constraint: CompletionRequest['constraint'];
  /** The key of the grammar (grammar-key.ts), which contains everything that the grammar depends on. */
  key: string;
}

/** Throws BadRequestError if no grammar can guarantee the constraint, or other settings contradict it. */
async function constraintOf(chat: ChatRequest, place: AnswerPlace, reader: RequestReader): Promise<MadeConstraint> {
  const { format, toolChoice, parallelCalls, ending, settings, names } = chat;
  const { parts, mayReason } = place;
  const key = grammarKey({ format, toolChoice, parallelCalls }, { parts, mayReason });
  const isChosen = typeof toolChoice === 'object' || toolChoice === 'required';
  const name = format.kind !== 'text' ? names.format : isChosen ? names.toolChoice : names.tools;
  const constraint = await reader.constraints.compiled(key, () => answerGrammar(chat, place, reader), name);
  if (constraint === null) return { constraint, key };
  const contradicts = (what: string) =>
    new BadRequestError(`'${name}' decides what the answer may be, and ${what} contradicts it`, name, 'unsupported');
  if (ending === 'open') throw contradicts('a message that is continued');
  if (settings.minTokens > 0) throw contradicts('min_tokens');
  if (settings.ignoresEnd) throw contradicts('ignore_eos');
  if (settings.rules.allowed !== reader.rules.allowed) throw contradicts('allowed_token_ids');
  if (settings.rules.badWords.length > reader.rules.badWords.length) throw contradicts('bad_words');
  return { constraint, key };
}

/**
 * Adds the reasoning budget.
 *
 * @throws {BadRequestError} where the model has no reasoning, or answers are not split into reasoning and content
 */
function budgeted(
  { constraint, key }: MadeConstraint,
  { reasoningBudget: tokens, names }: ChatRequest,
  parts: CompletionRequest['parts'],
  { tokenizer }: RequestReader,
): MadeConstraint {
  if (tokens === null) return { constraint, key };
  const kept = parts && withinBudget(constraint, { place: parts, tokens, tokenizer });
  if (kept !== null) return { constraint: kept, key: withBudget(key, tokens) };
  const name = names.reasoningBudget!;
  const why = parts
    ? 'this model has no form of reasoning'
    : 'this server does not split answers (task.split_messages)';
  throw new BadRequestError(`'${name}' cannot be kept to: ${why}; leave it out`, name, 'unsupported');
}

/** Throws BadRequestError if the dialogue is too long for the context, or the template refuses it. */
export async function promptIds(chat: ChatRequest, reader: RequestReader, signal: AbortSignal): Promise<number[]> {
  const { messages, inputs, template, ending, cut, names } = chat;
  const characters = messages.reduce((sum, { role: _, ...texts }) => sum + charactersOf(texts), charactersOf(inputs));
  checkCharacters(characters, reader, names.messages, cut);
  const style = messages.some(({ tool_calls: calls }) => calls) ? reader.callStyle?.(template) : null;
  const write: WriteDialogue = async (dialogue) => {
    const shown = style ? messagesFor(style, dialogue) : dialogue;
    const encode = await inTurns(template.writePromptInSteps(shown, inputs, ending), signal);
    return inSteps(encode, reader, cut, signal);
  };
  let whole: number[];
  try {
    const ends = [
      ...(reader.endIds ?? []),
      ...template.terminatorIds,
      ...(style ? endIds(reader.tokenizer, style.format) : []),
    ];
    whole = await (reader.prompt ? reader.prompt(chat, ends, write) : write(messages));
  } catch (error) {
    throw error instanceof ChatTemplateError ? new BadRequestError(error.message, names.messages) : error;
  }
  const ids = cut(whole);
  if (ids.length > 0) return ids;
  const problem = 'is empty; this model needs at least one token to continue from';
  throw new BadRequestError(`'${names.messages}' ${problem}`, names.messages);
}

interface Written {
  ids: readonly number[];
  /** The beginning of the message that the answer continues, from the request; null if the answer begins a message. */
  opened: string | null;
}

/** Throws BadRequestError if the request has tools, and the format of the template's calls is unknown. */
function partsOf(
  { inputs: { tools = [] }, template, toolChoice, parallelCalls, settings, names }: ChatRequest,
  { ids, opened }: Written,
  reader: RequestReader,
): CompletionRequest['parts'] {
  const isForced = typeof toolChoice === 'object' || toolChoice === 'required';
  if (isForced && (!reader.callStyle || settings.returnsIds))
    throw new BadRequestError(
      `'${names.toolChoice}' forces a call, which needs answers that are split: start the server with task.split_messages=true, and leave return_token_ids out`,
      names.toolChoice,
      'unsupported',
    );
  if (!reader.callStyle || settings.returnsIds) return null; // token ids are returned for the whole text, which is then not split
  const isOff = tools.length === 0 || toolChoice === 'none';
  const style = isOff && !mayFrameAnswers(reader.tokenizer) ? null : reader.callStyle(template);
  if (!isOff && style === null)
    throw new BadRequestError(
      `'${names.tools}' cannot be called: ${callProblem(template, reader.tokenizer)}; tool_choice 'none' answers with the text alone`,
      names.tools,
    );
  return {
    style: isOff && !style?.format.framesAnswers ? null : style,
    startsInReasoning: isThinking(ids, opened, reader),
    tools: isOff ? [] : tools.map(toolOf),
    singleCall: !parallelCalls,
  };
}

/** Returns whether the prompt, or the message's beginning in the request, ends with an open marker such as `<think>`. */
function isThinking(ids: readonly number[], opened: string | null, { tokenizer }: RequestReader): boolean {
  if (opened?.includes('think>')) return opened.lastIndexOf('<think>') > opened.lastIndexOf('</think>');
  return opened === null && endsInThought(ids, tokenizer);
}

/** Returns whether the answer may begin with reasoning. It may not if the prompt ends with the markers of empty reasoning. */
function mayReason(ids: readonly number[], reader: Pick<RequestReader, 'tokenizer'>): boolean {
  const end = endOf(ids, reader.tokenizer).trimEnd();
  return !reasoningMarks.some((mark) => end.endsWith(mark));
}

/** Counts all strings, including tool calls, reasoning and documents, since the template renders them too. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const written = textAsWritten(value);
  if (written !== undefined) return written.length;
  return Object.values(value).reduce<number>((sum, item) => sum + charactersOf(item), 0);
}
