// Generates the answers to one request: a sequence per answer in the batcher, whose text is sent while it is generated.
import { Rng } from '@bowyer/core';
import { type LoadedAdapter, continuationText } from '@bowyer/models';
import { byteTokens, type Tokenizer } from '@bowyer/text';
import type { Choice, Completed } from './answer.js';
import { inTurns, turn } from '../http/turn.js';
import { Sampled } from './sampled.js';
import { decoderWithMarks } from '../tool-calls/call-style.js';
import type { CompletionRequest, Prompt } from './completion-request.js';
import type { SequenceBatcher, SequenceEnd, SequenceRequest } from '../engine/sequence-batcher.js';
import { PartStreamer } from '../tool-calls/part-streamer.js';
import { TextStreamer } from './text-streamer.js';
import { SpelledTokens, type TokenLogprob } from './token-logprobs.js';

interface CompletionRun {
  request: CompletionRequest;
  /** Stays loaded until all answers have ended; null or not given for the base model. */
  adapter?: LoadedAdapter | null;
  tokenizer: Tokenizer;
  terminatorIds: readonly number[];
  /** The generator of random numbers for a request without a seed. */
  rng: Rng;
  /** Returns the current version of the model's weights; 0 if not given. */
  version?: () => number;
  signal: AbortSignal;
  /** Receives each new chunk of text, and the end of each answer. */
  onPiece: (piece: Choice) => void;
}

/** Throws QueueFullError immediately, before any token is generated. */
export function runCompletion(
  batcher: Pick<SequenceBatcher, 'submit' | 'score'>,
  run: CompletionRun,
): Promise<Completed> {
  const { request, adapter, terminatorIds, signal } = run;
  const { prompts, n, maxTokens, sampling, seed, logitBias, presencePenalty, frequencyPenalty, rules } = request;
  const endIds = [...new Set([...(request.ignoresEnd ? [] : terminatorIds), ...request.stopIds])];
  const adjustments = { bias: logitBias, presencePenalty, frequencyPenalty };
  const answers = prompts.flatMap((prompt, p) =>
    Array.from({ length: n }, (_, i) => new Answer(run, prompt, p * n + i)),
  );
  const scores = request.scoresPrompts
    ? batcher.score(
        prompts.map(({ ids }) => ids),
        adapter,
      )
    : null;
  scores?.catch(() => {}); // `finished` reports the error; this handler only prevents an unhandled rejection
  if (maxTokens === 0) return finished(answers, answers.map(nothing), scores, request);
  const ends = batcher.submit(
    answers.map((answer) => ({
      promptIds: answer.promptIds,
      maxNewTokens: maxTokens,
      sampling,
      adapter,
      signal,
      terminatorIds: endIds,
      adjustments,
      rules,
      constraint: request.constraint?.start() ?? null,
      returnsTopLogprobs: request.topLogprobs > 0,
      rng: seed === null ? new Rng(run.rng.uint32()) : Rng.forPurpose(seed, `answer ${answer.index}`),
      onTokens: (...tokens) => answer.take(...tokens),
    })),
  );
  return finished(answers, ends, scores, request);
}

const nothing = (): Promise<SequenceEnd> => Promise.resolve({ finishReason: 'length', newTokens: 0, cachedTokens: 0 });

async function finished(
  answers: readonly Answer[],
  ends: readonly Promise<SequenceEnd>[],
  scores: Promise<Float32Array[]> | null,
  { prompts, n }: CompletionRequest,
): Promise<Completed> {
  const promptLogprobs = await scores;
  const usage = { promptTokens: 0, cachedPromptTokens: 0, completionTokens: 0, reasoningTokens: 0 };
  let aborted = false;
  const choices = await Promise.all(
    ends.map(async (end, i) => {
      const { finishReason, newTokens, terminator, cachedTokens } = await end;
      usage.completionTokens += newTokens;
      if (i % n === 0) usage.cachedPromptTokens += cachedTokens;
      if (finishReason === 'aborted') aborted = true;
      if (terminator) answers[i].terminate(terminator);
      const reason = finishReason === 'aborted' ? 'stop' : finishReason;
      const ofPrompt = promptLogprobs ? await answers[i].scored(promptLogprobs[Math.floor(i / n)]) : [];
      return answers[i].finish(reason, ofPrompt);
    }),
  );
  usage.promptTokens = prompts.reduce((sum, { ids }) => sum + ids.length, 0);
  usage.reasoningTokens = answers.reduce((sum, { reasoningTokens }) => sum + reasoningTokens, 0);
  return { choices, usage, aborted };
}

/** The tokens at the end of a prompt that are decoded with the answer, since they can affect its first token's text. */
const PROMPT_END = 64;

class Answer {
  readonly promptIds: readonly number[];
  /** The number of generated tokens up to the end of the answer's reasoning. */
  reasoningTokens = 0;
  readonly #streamer: TextStreamer;
  readonly #tokens: TokenLogprob[] = [];
  #unsentTokens: TokenLogprob[] = [];
  readonly #ids: number[] = [];
  /** The number of tokens in `#ids` that have been sent. */
  #sentIds = 0;
  #sentPieces = 0;
  #echo: string;
  readonly #parts: PartStreamer | null;
  /** Null where the request does not ask for the tokens. */
  readonly #spelled: SpelledTokens | null;
  readonly #sampled: Sampled;

  constructor(
    private readonly run: CompletionRun,
    { ids, echo }: Prompt,
    readonly index: number,
  ) {
    const { tokenizer, request } = run;
    this.promptIds = ids;
    this.#echo = echo;
    const end = request.continuesText ? ids.slice(-PROMPT_END) : [];
    this.#parts = request.parts && new PartStreamer(request.parts, request.stream);
    const { stops, minTokens } = request;
    this.#streamer = new TextStreamer(this.#decoder(end), { stops, minTokens, byteIds: byteTokens(tokenizer) });
    this.#spelled = request.logprobs ? new SpelledTokens(tokenizer, end, echo.length) : null;
    this.#sampled = new Sampled(run.version ?? (() => 0));
  }

  /** A chat message is decoded as a separate text, a completion as its prompt's continuation, so that a leading space is kept. */
  #decoder(end: readonly number[]): (ids: readonly number[]) => string {
    const { tokenizer, request } = this.run;
    const decode = request.parts
      ? decoderWithMarks(tokenizer, request.parts.style?.format ?? null)
      : (ids: readonly number[]) => tokenizer.decode(ids);
    return end.length === 0 ? decode : (ids) => continuationText({ decode }, end, ids);
  }

  take(...[ids, logprobs, topLogprobs, masked]: Parameters<SequenceRequest['onTokens']>): boolean {
    const { request } = this.run;
    const text = this.#streamer.add(ids);
    this.#ids.push(...ids);
    this.#sampled.add(ids, logprobs, masked);
    const spelling = this.#spelled;
    if (spelling !== null)
      ids.forEach((id, i) => {
        const spelled = spelling.add(id, logprobs[i], topLogprobs[i], request.topLogprobs);
        const token = masked ? { ...spelled, maskedLogprob: masked[i] } : spelled;
        this.#tokens.push(token);
        this.#unsentTokens.push(token);
      });
    this.#send(text);
    if (this.#parts && isReasoning(this.#parts.whole)) this.reasoningTokens = this.#ids.length;
    return !this.#streamer.stopped && !this.#endsWithCall();
  }

  /** A tool call ends the answer where the request allows only one; a grammar, if there is one, ends it itself. */
  #endsWithCall(): boolean {
    const { constraint, ignoresEnd, minTokens } = this.run.request;
    if (constraint !== null || ignoresEnd || this.#ids.length < minTokens) return false;
    return this.#parts?.isOver === true;
  }

  /** Records the token that ended the answer. If the request asks for token ids, its id is returned too, without a text. */
  terminate({ id, logprob, maskedLogprob }: NonNullable<SequenceEnd['terminator']>): void {
    this.#sampled.end(id, logprob, maskedLogprob);
    if (!this.run.request.returnsIds) return;
    this.#ids.push(id);
    if (this.#spelled === null) return;
    const spelled = this.#spelled.add(id, logprob);
    const token = maskedLogprob === undefined ? spelled : { ...spelled, maskedLogprob };
    this.#tokens.push(token);
    this.#unsentTokens.push(token);
  }

  /** @param logprobs of all of the prompt's tokens but the first */
  async scored(logprobs: Float32Array): Promise<TokenLogprob[]> {
    await turn(); // other work of the server can run between two prompts
    return inTurns(this.#spell(logprobs));
  }

  *#spell(logprobs: Float32Array): Generator<undefined, TokenLogprob[]> {
    const tokens: TokenLogprob[] = [];
    const spelled = new SpelledTokens(this.run.tokenizer);
    for (const [t, id] of this.promptIds.entries()) {
      tokens.push(spelled.add(id, t === 0 ? null : logprobs[t - 1]));
      yield;
    }
    return tokens;
  }

  /** @param ofPrompt the prompt's tokens with log-probabilities, if the request asks for them */
  finish(finishReason: 'stop' | 'length', ofPrompt: readonly TokenLogprob[]): Choice {
    this.#send(this.#streamer.finish(), true);
    const { prompts, n, returnsIds } = this.run.request;
    const unsent = returnsIds && this.#unsentTokens.length > 0 ? this.#unsentTokens : null;
    const parts = this.#parts?.whole;
    const { stop } = this.#streamer;
    const ended = stop === null ? {} : { stop };
    const reason = finishReason === 'stop' && parts?.calls.length ? 'tool_calls' : finishReason;
    this.run.onPiece({ ...this.#choice(''), finishReason: reason, ...ended, tokens: unsent, ...this.#unsentIds() });
    const { echo } = prompts[Math.floor(this.index / n)];
    const tokens = this.run.request.logprobs ? [...ofPrompt, ...this.#tokens] : null;
    const ids = returnsIds && { ids: { prompt: this.promptIds, text: this.#ids } };
    const shown = parts ? shownParts(parts) : { text: echo + this.#streamer.text };
    return {
      index: this.index,
      ...shown,
      finishReason: reason,
      ...ended,
      tokens,
      ...ids,
      sampled: this.#sampled.tokens,
    };
  }

  /** Returns the token ids of the next chunk: those generated since the last chunk, and in the first chunk also the prompt's. */
  #unsentIds(): Pick<Choice, 'ids'> {
    if (!this.run.request.returnsIds) return {};
    const text = this.#ids.slice(this.#sentIds);
    const isFirst = this.#sentPieces++ === 0;
    this.#sentIds = this.#ids.length;
    return { ids: { ...(isFirst && { prompt: this.promptIds }), text } };
  }

  #send(text: string, isLast = false): void {
    const whole = this.#echo + text;
    this.#echo = '';
    const shown = this.#parts ? this.#parts.add(text, isLast) : whole === '' ? null : { text: whole };
    if (shown === null) return;
    const tokens = this.run.request.logprobs ? this.#unsentTokens : null;
    this.#unsentTokens = [];
    this.run.onPiece({ ...this.#choice(''), ...shown, tokens, ...this.#unsentIds() });
  }

  #choice(text: string): Choice {
    return { index: this.index, text, finishReason: null, tokens: null };
  }
}

const isReasoning = ({ text, reasoning, calls }: PartStreamer['whole']): boolean =>
  reasoning !== '' && text === '' && calls.length === 0;

const shownParts = ({ isShortened, ...parts }: PartStreamer['whole']) => ({
  ...parts,
  ...(isShortened && { isShortened }),
});
