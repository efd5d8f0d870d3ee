// Plays environments with a chat model: what the environment says are the user's messages, what the agent says the
// assistant's, and the chat template makes of them the tokens that training saw. A turn costs only its new tokens.
import type { TokenSegment } from '@bowyer/core';
import type { ChatMessage, ChatTemplate, Episodes, LanguageModel, SamplingOptions, Utterance } from '@bowyer/models';
import type { Player, ReadyTurn } from './policy-player.js';

export interface ChatPlayerOptions {
  slots: number;
  /** Its terminators are added to those of the template. */
  sampling: SamplingOptions;
  template: ChatTemplate;
  /** Messages before the first observation. */
  opening: readonly ChatMessage[];
}

interface Dialogue {
  messages: ChatMessage[];
  /** The observation that the messages amount to; a longer one that begins so adds only its rest. */
  text: string;
  segments: TokenSegment[];
}

export class ChatPlayer implements Player {
  readonly #dialogues: Dialogue[];
  readonly #sampling: SamplingOptions;

  private constructor(
    private readonly policy: LanguageModel,
    private readonly episodes: Episodes,
    private readonly options: ChatPlayerOptions,
  ) {
    const { sampling, template, slots } = options;
    this.#dialogues = Array.from({ length: slots }, () => ({ messages: [], text: '', segments: [] }));
    this.#sampling = {
      ...sampling,
      terminatorIds: [...new Set([...sampling.terminatorIds, ...template.terminatorIds])],
    };
  }

  static async open(policy: LanguageModel, options: ChatPlayerOptions): Promise<ChatPlayer> {
    return new ChatPlayer(policy, await policy.openEpisodes({ slots: options.slots }), options);
  }

  async act(ready: ReadyTurn[]): Promise<string[]> {
    const turns = ready.map((turn) => ({ slot: turn.slot, rng: turn.rng, tokens: this.#advance(turn) }));
    const utterances = await this.episodes.act(turns, this.#sampling);
    return utterances.map((utterance, i) => this.#record(ready[i], utterance));
  }

  /** The tokens that the slot's context lacks; what it has and the dialogue does not is forgotten. */
  #advance({ slot, turn, observation }: ReadyTurn): number[] {
    const dialogue = this.#dialogues[slot];
    if (turn === 0) dialogue.segments = [];
    const goesOn = turn > 0 && observation.startsWith(dialogue.text);
    // An observation that stands alone, turn by turn, goes on as well: it is the next message.
    if (turn === 0) dialogue.messages = [...this.options.opening];
    const news = goesOn ? observation.slice(dialogue.text.length) : observation;
    dialogue.messages.push({ role: 'user', content: news.trim() });
    dialogue.text = observation;

    const prompt = this.options.template.encodePrompt(dialogue.messages);
    const known = turn === 0 ? 0 : commonPrefix(this.episodes.context(slot), prompt);
    const isUnbroken = turn > 0 && known === this.episodes.length(slot);
    this.episodes.truncate(slot, known);
    // Scoring must see what the sampler saw: a context that was rewritten is another stretch.
    if (isUnbroken && dialogue.segments.length > 0) dialogue.segments.at(-1)!.ids.push(...prompt.slice(known));
    else dialogue.segments.push({ ids: prompt, utterances: [] });
    return prompt.slice(known);
  }

  #record({ slot, turn }: ReadyTurn, utterance: Utterance): string {
    const dialogue = this.#dialogues[slot];
    const action = this.policy.tokenizer.decode(utterance.ids).trim();
    const { ids } = dialogue.segments.at(-1)!;
    if (utterance.contextTokens < ids.length)
      dialogue.segments.push({ ids: ids.slice(ids.length - utterance.contextTokens), utterances: [] });
    const segment = dialogue.segments.at(-1)!;
    segment.utterances.push({
      turn,
      start: segment.ids.length,
      ids: utterance.ids,
      terminatorId: utterance.terminatorId,
      logprobs: Array.from(utterance.logprobs),
    });
    segment.ids.push(...utterance.ids);
    dialogue.messages.push({ role: 'assistant', content: action });
    dialogue.text += action;
    return action;
  }

  takeSegments(slot: number): TokenSegment[] {
    return this.#dialogues[slot].segments;
  }

  async close(): Promise<void> {
    await this.episodes.close();
  }
}

function commonPrefix(a: readonly number[], b: readonly number[]): number {
  const longest = Math.min(a.length, b.length);
  let length = 0;
  while (length < longest && a[length] === b[length]) length++;
  return length;
}
