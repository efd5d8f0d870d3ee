// A dialogue and what may answer it, in this server's own form, which the protocols of chats make of a body (protocols/).
import type { ChatMessage, ChatTemplate, PromptEnding, TemplateInputs } from '@bowyer/text';
import type { CompletionSettings, RequestReader } from './completion-request.js';
import type { PromptCut } from './request-bounds.js';
import { BadRequestError } from './request-error.js';

export interface ChatRequest {
  messages: readonly ChatMessage[];
  /** Tools in the form of Chat Completions, documents, variables. */
  inputs: TemplateInputs;
  template: ChatTemplate;
  ending: PromptEnding;
  toolChoice: ToolChoice;
  /** Whether an answer may have several calls. */
  parallelCalls: boolean;
  format: AnswerFormat;
  settings: CompletionSettings;
  /** Null: the request names no limit. */
  maxTokens: number | null;
  /** The most tokens of reasoning; null: as many as the model writes. */
  reasoningBudget: number | null;
  /** A limit beyond the context gives way to it; else the request is refused. */
  limitGivesWay: boolean;
  cut: PromptCut;
  names: ChatNames;
}

export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

/** The form that the content of an answer must have: any text, an object of JSON, or a value that its schema describes. */
export type AnswerFormat = { kind: 'text' } | { kind: 'object' } | { kind: 'schema'; schema: unknown };

/** A protocol's names for the fields that errors are about. */
export interface ChatNames {
  messages: string;
  tools: string;
  toolChoice: string;
  format: string;
  /** Left out where the protocol has no budget for reasoning. */
  reasoningBudget?: string;
}

/** @throws {BadRequestError} where a server has no template for chats */
export function chatTemplateOf({ template }: RequestReader, names: ChatNames): ChatTemplate {
  if (template !== null) return template;
  throw new BadRequestError(
    'this model has no chat template; the server can be given one (chat_template=FILE or a name), or use /v1/completions',
    names.messages,
  );
}

/** Returns the variables of a template that a level of reasoning sets, as vLLM does: gpt-oss has levels, Qwen 3 and others a switch. */
export const effortVariables = (effort: string | null): Record<string, unknown> =>
  effort === null ? {} : { reasoning_effort: effort, enable_thinking: effort !== 'none' };
