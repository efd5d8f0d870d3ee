// Plays environments with a language model: text in, text out, and beside it a record of the exact tokens.
// Each slot keeps its context in the KV cache over the turns of an episode, so a turn costs only its new tokens.
import type { Rng, TokenSegment, UtteranceTokens } from '@bowyer/core';
import type { Episodes, LanguageModel, SamplingOptions, Utterance } from '@bowyer/models';

/** A slot that waits for the agent. */
export interface ReadyTurn {
  slot: number;
  /** 0 for the first turn of an episode. */
  turn: number;
  observation: string;
  /** The episode's own stream of random numbers. */
  rng: Rng;
}

/** Decides what to say in every ready slot. */
export interface Player {
  /** @returns one action a ready turn, in the same order; an error where none can be had, which ends that episode as failed */
  act(ready: ReadyTurn[]): Promise<(string | Error)[]>;
  /** The tokens of the episode that ended in `slot`. */
  takeSegments(slot: number): TokenSegment[];
  close(): Promise<void>;
}

/** What the model has read and written in one slot. */
export class SlotContext {
  /** Text of all tokens so far: the last observation and the action after it. */
  text = '';
  segments: TokenSegment[] = [];

  /**
   * The tokens that bring the slot up to `observation`: only what is new where the observation goes on from what
   * the slot has seen, else the whole text after a reset.
   */
  advance(turn: ReadyTurn, encode: (text: string) => number[]): { reset: boolean; tokens: number[] } {
    if (turn.turn === 0) this.segments = [];
    const goesOn = turn.turn > 0 && turn.observation.startsWith(this.text);
    const tokens = encode(goesOn ? turn.observation.slice(this.text.length) : turn.observation);
    if (goesOn) this.segments.at(-1)!.ids.push(...tokens);
    else this.segments.push({ ids: tokens, utterances: [] });
    this.text = turn.observation;
    return { reset: !goesOn, tokens };
  }

  /** Notes what the agent said. A context cut on the left starts a new segment: scoring must see what the sampler saw. */
  record(turn: number, utterance: Utterance, action: string): void {
    const ids = this.segments.at(-1)!.ids;
    if (utterance.contextTokens < ids.length) {
      this.segments.push({ ids: ids.slice(ids.length - utterance.contextTokens), utterances: [] });
    }
    const segment = this.segments.at(-1)!;
    const tokens: UtteranceTokens = {
      turn,
      start: segment.ids.length,
      ids: utterance.ids,
      terminatorId: utterance.terminatorId,
      logprobs: Array.from(utterance.logprobs),
    };
    segment.utterances.push(tokens);
    segment.ids.push(...utterance.ids);
    this.text += action;
  }
}

export class PolicyPlayer implements Player {
  #contexts: SlotContext[];

  private constructor(
    private readonly policy: LanguageModel,
    private readonly episodes: Episodes,
    private readonly sampling: SamplingOptions,
    slots: number,
  ) {
    this.#contexts = Array.from({ length: slots }, () => new SlotContext());
  }

  static async open(policy: LanguageModel, slots: number, sampling: SamplingOptions): Promise<PolicyPlayer> {
    return new PolicyPlayer(policy, await policy.openEpisodes({ slots }), sampling, slots);
  }

  async act(ready: ReadyTurn[]): Promise<string[]> {
    const { tokenizer } = this.policy;
    const utterances = await this.episodes.act(
      ready.map((turn) => ({
        slot: turn.slot,
        rng: turn.rng,
        ...this.#contexts[turn.slot].advance(turn, (text) => tokenizer.encode(text)),
      })),
      this.sampling,
    );
    return utterances.map((utterance, i) => {
      const action = tokenizer.decode(utterance.ids);
      this.#contexts[ready[i].slot].record(ready[i].turn, utterance, action);
      return action;
    });
  }

  takeSegments(slot: number): TokenSegment[] {
    return this.#contexts[slot].segments;
  }

  async close(): Promise<void> {
    await this.episodes.close();
  }
}
