// Variants of games: a goal's commands in another order, with items that have words of others. There are a few hundred goals,
// each with one list of commands, which a policy soon memorises; variants can only be read.
import { Rng, type InformedTransition } from '@bowyer/core';
import type { ResetResult, ResumableEnv, StepResult } from '../contract/env.js';

/** Returns the words of item names, each once, in the order of the recipes. Particles ("on a stick") are not renamed. */
export function wordsOfNames(names: Iterable<string>): string[] {
  return [...new Set([...names].flatMap((name) => name.split('_')))].filter((word) => word.length > 2);
}

/** The texts of one variant. */
interface Renaming {
  /** Returns the game's text as it is shown. */
  shown(text: string): string;
  /** Returns the text of a player in the words of the game. */
  meant(text: string): string;
}

/** Draws a renaming. @param task the game's first observation */
function renaming(task: string, words: readonly string[], rng: Rng): Renaming {
  const others = rng.shuffle(words);
  const list = listOf(task);
  const shuffled = rng.shuffle(list.split('\n')).join('\n');
  const shownWords = new Map(words.map((word, i) => [word, others[i]]));
  const meantWords = new Map(words.map((word, i) => [others[i], word]));
  const exchanged = (text: string, by: ReadonlyMap<string, string>) =>
    text.replace(/[a-z]+/g, (word) => by.get(word) ?? word);
  return {
    shown: (text) =>
      exchanged(
        text.replace(list, () => shuffled),
        shownWords,
      ),
    meant: (text) => exchanged(text, meantWords),
  };
}

/** Returns the episode with its words exchanged and its listed commands shuffled; `info` too, but for the task's depth. */
export function renamed(
  transitions: readonly InformedTransition[],
  words: readonly string[],
  rng: Rng,
): InformedTransition[] {
  const { shown } = renaming(transitions[0].observation, words, rng);
  return transitions.map((transition) => deeply(transition, shown));
}

/** Plays another game, of whose episodes a share is renamed where the reset allows it. */
export class RenamedGames implements ResumableEnv {
  #rng = new Rng(0);
  #renaming: Renaming | null = null;

  constructor(
    private readonly game: ResumableEnv,
    private readonly words: readonly string[],
    private readonly share: number,
  ) {}

  async reset({ mayRename = false, ...options }: { seed?: number; mayRename?: boolean } = {}): Promise<ResetResult> {
    const { seed } = options;
    if (seed !== undefined) this.#rng = Rng.forPurpose(seed, 'renamed game');
    const result = await this.game.reset(options);
    const isRenamed = mayRename && this.#rng.uniform() < this.share;
    this.#renaming = isRenamed ? renaming(result.observation, this.words, this.#rng) : null;
    return this.#shown(result);
  }

  async step(action: string): Promise<StepResult> {
    return this.#shown(await this.game.step(this.#renaming?.meant(action) ?? action));
  }

  expertReply(): string | null {
    const reply = this.game.expertReply?.() ?? null;
    return reply === null || this.#renaming === null ? reply : this.#renaming.shown(reply);
  }

  resume(): void {
    this.game.resume();
  }

  close(): Promise<void> {
    return this.game.close();
  }

  #shown<Result extends ResetResult>(result: Result): Result {
    return this.#renaming === null ? result : deeply(result, this.#renaming.shown);
  }
}

/** Returns the commands of a task's text, a line each. */
const listOf = (text: string): string => /Crafting commands:\n([^]*?)\n\nGoal: /.exec(text)![1];

/** Returns the same value, every text in it changed. */
function deeply<T>(value: T, change: (text: string) => string): T {
  const changed = (inner: unknown): unknown => {
    if (typeof inner === 'string') return change(inner);
    if (Array.isArray(inner)) return inner.map(changed);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, changed(item)]));
  };
  return changed(value) as T;
}
