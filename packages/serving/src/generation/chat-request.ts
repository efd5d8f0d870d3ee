// Defines the server's internal form of a chat request: a dialogue, and the settings of its answer.
import type { ChatMessage, ChatTemplate, PromptEnding, TemplateInputs } from '@bowyer/text';
import type { CompletionSettings, RequestReader } from './completion-request.js';
import type { PromptCut } from './request-bounds.js';
import { BadRequestError } from './request-error.js';

export interface ChatRequest {
  messages: readonly ChatMessage[];
  /** Tools in the form of Chat Completions, documents, and variables. */
  inputs: TemplateInputs;
  template: ChatTemplate;
  ending: PromptEnding;
  toolChoice: ToolChoice;
  /** Whether an answer may have several tool calls. */
  parallelCalls: boolean;
  format: AnswerFormat;
  settings: CompletionSettings;
  /** The token limit of the answer; null where the request has none. */
  maxTokens: number | null;
  /** The most tokens of reasoning; null for no limit. */
  reasoningBudget: number | null;
  /** Whether a token limit for which the context has no space is reduced to the space; otherwise the request is refused. */
  limitGivesWay: boolean;
  cut: PromptCut;
  names: ChatNames;
}

export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

/** The required form of an answer's content: any text, a JSON object, or JSON that follows a schema. */
export type AnswerFormat = { kind: 'text' } | { kind: 'object' } | { kind: 'schema'; schema: unknown };

/** The names that a protocol has for the fields that error messages mention. */
export interface ChatNames {
  messages: string;
  tools: string;
  toolChoice: string;
  format: string;
  /** Not given where the protocol has no such field. */
  reasoningBudget?: string;
}

/** Throws BadRequestError where the server has none. */
export function chatTemplateOf({ template }: RequestReader, names: ChatNames): ChatTemplate {
  if (template !== null) return template;
  throw new BadRequestError(
    'this model has no chat template; the server can be given one (chat.template=FILE or a name), or use /v1/completions',
    names.messages,
  );
}

/** Returns vLLM's template variables for the effort of reasoning: gpt-oss has levels; Qwen 3 and others are only switched. */
export const effortVariables = (effort: string | null): Record<string, unknown> =>
  effort === null ? {} : { reasoning_effort: effort, enable_thinking: effort !== 'none' };
