// A client's request in this server's own form, which each protocol makes of a body (protocols/), and all that a run of it needs
// (completion-run.ts). The prompt is written already.
import type { LogitRules, SamplingOptions } from '@bowyer/models';
import type { ChatTemplate, CompiledConstraint } from '@bowyer/text';
import type { AnswerConstraints } from './answer-constraints.js';
import type { CallStyle } from '../tool-calls/call-style.js';
import type { PartsOptions } from '../tool-calls/part-streamer.js';
import type { PromptWriter, WrittenChat } from './prompt-writer.js';
import type { SteppedTokenizer } from './stepped-tokenizer.js';

export interface CompletionRequest {
  /** The served name that answers it. */
  model: string;
  prompts: Prompt[];
  /** Answers to each prompt. */
  n: number;
  maxTokens: number;
  /** The least number of tokens before a token or a text may end an answer. */
  minTokens: number;
  sampling: Pick<SamplingOptions, 'temperature' | 'topK' | 'topP' | 'greedy'>;
  stops: string[];
  /** Null: the server's own stream of random numbers. */
  seed: number | null;
  stream: boolean;
  /** A stream ends with the counts of its tokens. */
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
  /** The model's own end tokens end no answer. */
  ignoresEnd: boolean;
  /** The bias that is added to the logits of tokens. */
  logitBias: readonly (readonly [id: number, by: number])[];
  /** Subtracted from the logit of a token that was generated. */
  presencePenalty: number;
  /** Subtracted from the logit of a token once for each time it was generated. */
  frequencyPenalty: number;
  /** The changes that the prompt and the answer so far make to logits. */
  rules: LogitRules;
  /** The texts that an answer may be; null: any. */
  constraint: CompiledConstraint | null;
  /** An answer continues its prompt's text, with the space that it may begin with; false: it stands alone. */
  continuesText: boolean;
  /** How a chat's answer is split; null: its text is its content. */
  parts: PartsOptions | null;
  /** The chat that its prompt was written from; absent for a text. */
  chat?: WrittenChat;
}

/** The settings of a request apart from its prompt. */
export type CompletionSettings = Omit<
  CompletionRequest,
  'prompts' | 'maxTokens' | 'parts' | 'continuesText' | 'constraint' | 'chat'
>;

export interface Prompt {
  ids: number[];
  /** Text at the beginning of the answer: the prompt, where `echo` is set. */
  echo: string;
}

/** The settings that decide how a body is read. */
export interface RequestReader {
  tokenizer: SteppedTokenizer;
  /** Encodes with `tokenizer`. Null where the model has none. */
  template: ChatTemplate | null;
  /** Makes a template that a request brings; undefined: requests bring none. */
  templateOf?: (source: string) => ChatTemplate;
  contextLength: number;
  vocabSize: number;
  /** Ids that the model never writes, as padding: they have no log-probability. */
  maskedTokenIds: readonly number[];
  /** The model's name. */
  name: string;
  /** The names of the adapters that are loaded beside it; none if not given. Other names are refused. */
  adapterNames?: () => readonly string[];
  /** Requests for other names are answered by the model itself; false if not given. */
  answersAnyName?: boolean;
  /** Most answers to all prompts together: more never fit, however long they wait. */
  maxAnswers: number;
  /** The model's settings; a request may change some. */
  rules: LogitRules;
  /** How the template writes calls of tools; undefined: answers are not split, null: in none of the known ways. */
  callStyle?: (template: ChatTemplate) => CallStyle | null;
  constraints: AnswerConstraints;
  /** Tokens that end an answer whatever its request says; none if not given. */
  endIds?: readonly number[];
  /** Writes the prompts of chats in place of the template; the template alone if not given. */
  prompt?: PromptWriter;
  /** The values for a request that leaves them out. */
  defaults: { temperature: number; topK: number; topP: number; maxTokens: number };
}
