// Made-up games: a goal's commands in another order, with other counts, its items with the names of others. There are a few hundred
// goals, each with one list of commands, which a policy soon knows by heart; of made-up ones it can only read.
import { Rng, type InformedTransition } from '@bowyer/core';
import type { ResetResult, ResumableEnv, StepResult } from '../contract/env.js';
import type { CraftingTree } from './crafting-tree.js';
import { WORLDS } from './other-counts.js';
import { shown } from './recipe.js';

/** The names of a game, with underscores. */
export interface Names {
  all: readonly string[];
  /** Groups within which names may be exchanged: which items a tag stands for is nowhere in the text. */
  groups: readonly (readonly string[])[];
}

export const namesOf = (tree: CraftingTree): Names => ({ all: tree.names(), groups: tree.itemsByTag() });

/** The texts of one made-up game. */
interface Renaming {
  /** The game's text as it is shown. */
  shown(text: string): string;
  /** What a player's text says to the game. */
  meant(text: string): string;
}

/** @param task the game's first observation */
function renaming(task: string, { all, groups }: Names, rng: Rng): Renaming {
  const items = groups.flat();
  const others = groups.flatMap((group) => rng.shuffle(group));
  const list = listOf(task);
  const shuffled = rng.shuffle(list.split('\n')).join('\n');
  const shownNames = new Map(items.map((name, i) => [name, others[i]]));
  const meantNames = new Map(items.map((name, i) => [others[i], name]));
  const known = new Set(all);
  const exchanged = (text: string, by: ReadonlyMap<string, string>) =>
    text.replace(/:?[a-z]+(?:[ _][a-z]+)*/g, (words) => exchangedNames(words, known, by));
  return {
    shown: (text) => {
      const inOtherOrder = text.replace(list, () => shuffled);
      return exchanged(inOtherOrder, shownNames);
    },
    meant: (text) => exchanged(text, meantNames),
  };
}

/** @param text words, behind a colon where the game answers with a name as "minecraft:oak_planks" */
function exchangedNames(text: string, known: ReadonlySet<string>, by: ReadonlyMap<string, string>): string {
  const words = text.split(/[ _]/);
  let [changed, at] = ['', 0];
  for (let from = 0; from < words.length;) {
    const nameTo = (end: number) => words.slice(from, end).join('_').replace(':', '');
    let to = words.length;
    while (to > from + 1 && !known.has(nameTo(to))) to--; // the longest name
    const length = words.slice(from, to).join(' ').length;
    const original = text.slice(at, at + length);
    const other = by.get(nameTo(to));
    const prefix = original.startsWith(':') ? ':' : '';
    const isId = prefix !== '' || original.includes('_');
    changed += other === undefined ? original : prefix + (isId ? other : shown(other));
    changed += text.slice(at + length, at + length + 1);
    [from, at] = [to, at + length + 1];
  }
  return changed;
}

/** The episode with its names exchanged and its listed commands shuffled; `info` too, but for the task's depth. */
export function renamed(transitions: readonly InformedTransition[], names: Names, rng: Rng): InformedTransition[] {
  const { shown } = renaming(transitions[0].observation, names, rng);
  return transitions.map((transition) => deeply(transition, shown));
}

/** What a reset takes for a world with other counts. */
export const drawnWorld = (rng: Rng): { world: number } => ({ world: rng.integer(0, WORLDS - 1) });

/** Plays another game, of whose episodes a share is renamed where the reset allows it. */
export class RenamedGames implements ResumableEnv {
  #rng = new Rng(0);
  #renaming: Renaming | null = null;

  constructor(
    private readonly game: ResumableEnv,
    private readonly names: Names,
    private readonly share: number,
  ) {}

  async reset({ mayRename = false, ...options }: { seed?: number; mayRename?: boolean } = {}): Promise<ResetResult> {
    const { seed } = options;
    if (seed !== undefined) this.#rng = Rng.forPurpose(seed, 'renamed game');
    const isRenamed = mayRename && this.#rng.uniform() < this.share;
    const result = await this.game.reset(isRenamed ? { ...options, ...drawnWorld(this.#rng) } : options);
    this.#renaming = isRenamed ? renaming(result.observation, this.names, this.#rng) : null;
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

/** The commands of a task's text, a line each. */
const listOf = (text: string): string => /Crafting commands:\n([^]*?)\n\nGoal: /.exec(text)![1];

/** The same value, every text in it changed. */
function deeply<T>(value: T, change: (text: string) => string): T {
  const changed = (inner: unknown): unknown => {
    if (typeof inner === 'string') return change(inner);
    if (Array.isArray(inner)) return inner.map(changed);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, changed(item)]));
  };
  return changed(value) as T;
}
