// A client's request in the server's internal form, to which each protocol converts a body (protocols/), with all that its run
// needs (completion-run.ts). Its prompt consists of tokens already.
import type { LogitRules, SamplingOptions } from '@bowyer/models';
import type { ChatTemplate, CompiledConstraint } from '@bowyer/text';
import type { AnswerConstraints } from './answer-constraints.js';
import type { CallStyle } from '../tool-calls/call-style.js';
import type { PartsOptions } from '../tool-calls/part-streamer.js';
import type { PromptWriter, WrittenChat } from './prompt-writer.js';
import type { SteppedTokenizer } from './stepped-tokenizer.js';

export interface CompletionRequest {
  /** The served name of the model or adapter that answers it. */
  model: string;
  prompts: Prompt[];
  /** The number of answers to each prompt. */
  n: number;
  maxTokens: number;
  /** The number of tokens that come before a token or a text may end an answer. */
  minTokens: number;
  sampling: Pick<SamplingOptions, 'temperature' | 'topK' | 'topP' | 'greedy'>;
  stops: string[];
  /** The seed; null: the server's own random numbers are used. */
  seed: number | null;
  stream: boolean;
  /** Whether a stream ends with the counts of its tokens. */
  streamsUsage: boolean;
  logprobs: boolean;
  /** Number of most likely tokens to return beside each generated one. */
  topLogprobs: number;
  /** Whether the tokens of the prompts are returned with their log-probabilities. */
  scoresPrompts: boolean;
  /** Whether tokens are named `token_id:N` in place of their texts, as vLLM does. */
  namesTokensById: boolean;
  /** Whether the ids of prompts and answers are returned, with the token that ended an answer, as vLLM does. */
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
  /** Whether an answer continues its prompt's text, with the space that it may begin with; false: it is a text of its own. */
  continuesText: boolean;
  /** How a chat's answer is split into parts; null: it is all content. */
  parts: PartsOptions | null;
  /** The chat from which its prompt was written; absent for a text. */
  chat?: WrittenChat;
}

/** The settings of a request, which do not depend on its prompt. */
export type CompletionSettings = Omit<
  CompletionRequest,
  'prompts' | 'maxTokens' | 'parts' | 'continuesText' | 'constraint' | 'chat'
>;

export interface Prompt {
  ids: number[];
  /** Text that is put before the answer: the prompt, where `echo` is set. */
  echo: string;
}

/** The settings of the server that decide how a body is read. */
export interface RequestReader {
  tokenizer: SteppedTokenizer;
  /** The chat template, which encodes with `tokenizer`. Null where the model has none. */
  template: ChatTemplate | null;
  /** Makes a template that a request brings; undefined: requests bring none. */
  templateOf?: (source: string) => ChatTemplate;
  contextLength: number;
  vocabSize: number;
  /** Ids that the model never writes, such as padding; they have no log-probability. */
  maskedTokenIds: readonly number[];
  /** The model's name. */
  name: string;
  /** Returns the names of the adapters that are loaded beside it; none if not given. Other names are refused. */
  adapterNames?: () => readonly string[];
  /** Whether the model itself answers requests for other names; false if not given. */
  answersAnyName?: boolean;
  /** The most answers to all prompts of a request together: more would never fit, however long they wait. */
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
  /** The values of settings that a request leaves out. */
  defaults: { temperature: number; topK: number; topP: number; maxTokens: number };
}
