// Defines the server's internal form of a client's request, whose prompts are token ids. The files of protocols/ convert the
// bodies of requests to it, and completion-run.ts generates its answers.
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
  /** The number of tokens that must be generated before an end token or a stop string may end an answer. */
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
  /** Tokens that end an answer in addition to the model's own end tokens. */
  stopIds: readonly number[];
  /** Whether the model's own end tokens do not end an answer. */
  ignoresEnd: boolean;
  logitBias: readonly (readonly [id: number, by: number])[];
  /** Subtracted from the logit of each token that the answer so far contains. */
  presencePenalty: number;
  /** The penalty that is subtracted from a token's logit for each time that the answer so far contains the token. */
  frequencyPenalty: number;
  /** Rules that change logits depending on the prompt and the answer so far. */
  rules: LogitRules;
  /** Null if any text is allowed. */
  constraint: CompiledConstraint | null;
  /** Whether an answer continues its prompt, so that a leading space is kept; otherwise it is decoded as a separate text. */
  continuesText: boolean;
  /** How a chat's answer is split into reasoning, content and tool calls; null if it is all content. */
  parts: PartsOptions | null;
  /** Absent for a text prompt. */
  chat?: WrittenChat;
}

/** The fields of a request that do not depend on its prompt. */
export type CompletionSettings = Omit<
  CompletionRequest,
  'prompts' | 'maxTokens' | 'parts' | 'continuesText' | 'constraint' | 'chat'
>;

export interface Prompt {
  ids: number[];
  /** Returned in front of the answer: the prompt, if the request sets `echo`. */
  echo: string;
}

/** The properties of the server with which it reads the body of a request. */
export interface RequestReader {
  tokenizer: SteppedTokenizer;
  /** Encodes with `tokenizer`; null if the model has none. */
  template: ChatTemplate | null;
  /** Makes a chat template from the source that a request contains; undefined if requests must not contain one. */
  templateOf?: (source: string) => ChatTemplate;
  contextLength: number;
  vocabSize: number;
  /** Ids of tokens that the model never generates, such as padding; they have no log-probability. */
  maskedTokenIds: readonly number[];
  name: string;
  /** None if not given. Other names are refused. */
  adapterNames?: () => readonly string[];
  /** Whether requests for unknown model names are answered by the base model; false if not given. */
  answersAnyName?: boolean;
  /** The most answers per request to all prompts; the server could never generate more. */
  maxAnswers: number;
  /** The rules of the model's generation config that change logits; a request may change some of them. */
  rules: LogitRules;
  /** Returns in which format a template writes tool calls; null if unknown. If not given, answers are not split. */
  callStyle?: (template: ChatTemplate) => CallStyle | null;
  constraints: AnswerConstraints;
  /** Ids of tokens that end an answer in addition to those of its request; none if not given. */
  endIds?: readonly number[];
  /** Writes the prompts of chats instead of the template; the template writes them if not given. */
  prompt?: PromptWriter;
  /** The settings that apply to a request without them. */
  defaults: { temperature: number; topK: number; topP: number; maxTokens: number };
}
