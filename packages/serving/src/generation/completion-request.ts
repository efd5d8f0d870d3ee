// Defines the server's internal form of a client's request, whose prompts are tokens. Each protocol converts its bodies to it
// (protocols/), and completion-run.ts runs it.
import type { LogitRules, SamplingOptions } from '@bowyer/models';
import type { ChatTemplate, CompiledConstraint } from '@bowyer/text';
import type { AnswerConstraints } from './answer-constraints.js';
import type { CallStyle } from '../tool-calls/call-style.js';
import type { PartsOptions } from '../tool-calls/part-streamer.js';
import type { PromptWriter, WrittenChat } from './prompt-writer.js';
import type { SteppedTokenizer } from './stepped-tokenizer.js';

export interface CompletionRequest {
  /** The served name of the model or adapter that answers. */
  model: string;
  prompts: Prompt[];
  /** The number of answers to each prompt. */
  n: number;
  maxTokens: number;
  /** The least number of tokens before a token or a text may end an answer. */
  minTokens: number;
  sampling: Pick<SamplingOptions, 'temperature' | 'topK' | 'topP' | 'greedy'>;
  stops: string[];
  /** The seed; null to use the server's own random numbers. */
  seed: number | null;
  stream: boolean;
  /** Whether a stream ends with its token counts. */
  streamsUsage: boolean;
  logprobs: boolean;
  /** The number of most likely tokens that are returned in addition to each generated one. */
  topLogprobs: number;
  /** Whether the tokens of the prompts are returned with their log-probabilities. */
  scoresPrompts: boolean;
  /** Whether tokens are named `token_id:N` instead of by their texts, as in vLLM. */
  namesTokensById: boolean;
  /** Whether the ids of prompts and answers are returned, with the terminator, as in vLLM. */
  returnsIds: boolean;
  /** Tokens that end an answer in addition to the model's own. */
  stopIds: readonly number[];
  /** Whether the model's own end tokens do not end an answer. */
  ignoresEnd: boolean;
  /** The bias that is added to the logits of tokens. */
  logitBias: readonly (readonly [id: number, by: number])[];
  /** Subtracted from the logit of each token that the answer contains. */
  presencePenalty: number;
  /** Subtracted from the logit of a token once for each time it was generated. */
  frequencyPenalty: number;
  /** Changes of logits that depend on the prompt and the answer so far. */
  rules: LogitRules;
  /** The constraint on the answer's text; null: any text. */
  constraint: CompiledConstraint | null;
  /** Whether an answer continues its prompt's text, including a leading space; otherwise it is a separate text. */
  continuesText: boolean;
  /** How a chat's answer is split into parts; null if it is all content. */
  parts: PartsOptions | null;
  /** The chat from which the prompt was written; absent for a text prompt. */
  chat?: WrittenChat;
}

/** The settings of a request, which do not depend on its prompt. */
export type CompletionSettings = Omit<
  CompletionRequest,
  'prompts' | 'maxTokens' | 'parts' | 'continuesText' | 'constraint' | 'chat'
>;

export interface Prompt {
  ids: number[];
  /** Text before the answer: the prompt, if `echo` is set. */
  echo: string;
}

/** The settings of the server that decide how a body is read. */
export interface RequestReader {
  tokenizer: SteppedTokenizer;
  /** The chat template, which encodes with `tokenizer`. Null where the model has none. */
  template: ChatTemplate | null;
  /** Makes a template that a request contains; undefined if requests must not contain any. */
  templateOf?: (source: string) => ChatTemplate;
  contextLength: number;
  vocabSize: number;
  /** Ids that the model never writes, such as padding; they have no log-probability. */
  maskedTokenIds: readonly number[];
  name: string;
  /** Returns the names of the adapters that are loaded; none if not given. Other names are refused. */
  adapterNames?: () => readonly string[];
  /** Whether the model itself answers requests for other names; false if not given. */
  answersAnyName?: boolean;
  /** The most answers to all prompts of a request; a request with more could never be served. */
  maxAnswers: number;
  /** The model's changes of logits; a request may change some. */
  rules: LogitRules;
  /** Returns how the template writes calls of tools; null where the way is unknown. If not given, answers are not split. */
  callStyle?: (template: ChatTemplate) => CallStyle | null;
  constraints: AnswerConstraints;
  /** Tokens that end an answer in addition to those of its request; none if not given. */
  endIds?: readonly number[];
  /** Writes the prompts of chats in place of the template; the template does if not given. */
  prompt?: PromptWriter;
  /** The values of settings that a request does not have. */
  defaults: { temperature: number; topK: number; topP: number; maxTokens: number };
}
