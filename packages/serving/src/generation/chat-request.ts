// Defines the server's internal form of a dialogue with the rules for its answer, to which the protocols of chats convert a body.
import type { ChatMessage, ChatTemplate, PromptEnding, TemplateInputs } from '@bowyer/text';
import type { CompletionSettings, RequestReader } from './completion-request.js';
import type { PromptCut } from './request-bounds.js';
import { BadRequestError } from './request-error.js';

export interface ChatRequest {
  messages: readonly ChatMessage[];
  /** Tools in the form of Chat Completions, documents, and variables of the template. */
  inputs: TemplateInputs;
  template: ChatTemplate;
  ending: PromptEnding;
  toolChoice: ToolChoice;
  /** Whether an answer may have several calls. */
  parallelCalls: boolean;
  format: AnswerFormat;
  settings: CompletionSettings;
  /** The token limit; null where the request has none. */
  maxTokens: number | null;
  /** The most tokens of reasoning; null for no limit. */
  reasoningBudget: number | null;
  /** Whether a limit beyond the context is reduced to it; otherwise the request is refused. */
  limitGivesWay: boolean;
  cut: PromptCut;
  names: ChatNames;
}

export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

/** The required form of an answer's content: any text, a JSON object, or a value of a schema. */
export type AnswerFormat = { kind: 'text' } | { kind: 'object' } | { kind: 'schema'; schema: unknown };

/** A protocol's names of the fields that errors mention. */
export interface ChatNames {
  messages: string;
  tools: string;
  toolChoice: string;
  format: string;
  /** The field of the reasoning budget; not given where the protocol has none. */
  reasoningBudget?: string;
}

/** Returns the chat template of the server. @throws {BadRequestError} where it has none */
export function chatTemplateOf({ template }: RequestReader, names: ChatNames): ChatTemplate {
  if (template !== null) return template;
  throw new BadRequestError(
    'this model has no chat template; the server can be given one (chat.template=FILE or a name), or use /v1/completions',
    names.messages,
  );
}

/**
 * Returns the variables of a template that set a level of reasoning, as vLLM does: gpt-oss has levels, and Qwen 3 and others have
 * a switch.
 */
export const effortVariables = (effort: string | null): Record<string, unknown> =>
  effort === null ? {} : { reasoning_effort: effort, enable_thinking: effort !== 'none' };
