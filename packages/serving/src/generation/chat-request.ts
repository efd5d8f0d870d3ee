// Defines the server's internal form of a chat request: a dialogue, and the settings of its answer. Each chat protocol converts
// the bodies of its requests to it.
import type { ChatMessage, ChatTemplate, PromptEnding, TemplateInputs } from '@bowyer/text';
import type { CompletionSettings, RequestReader } from './completion-request.js';
import type { PromptCut } from './request-bounds.js';
import { BadRequestError } from './request-error.js';

export interface ChatRequest {
  messages: readonly ChatMessage[];
  /** The inputs of the chat template: tools in the form of Chat Completions, documents, and variables. */
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
  /** The name of the field with the reasoning budget; not given where the protocol has no such field. */
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
 * Returns the template variables that set the effort of reasoning, with the names that vLLM uses: gpt-oss has levels of effort,
 * and Qwen 3 and other models can only be switched.
 */
export const effortVariables = (effort: string | null): Record<string, unknown> =>
  effort === null ? {} : { reasoning_effort: effort, enable_thinking: effort !== 'none' };
