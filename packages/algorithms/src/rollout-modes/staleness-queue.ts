// Decides which groups of episodes may begin, and which are learned from next, so that the weights of no group are older than a bound
// when it is learned from. The first rule is eq. 3 of Fu et al. 2025 (AReaL), arXiv:2505.24298: the n-th group may begin if
// ⌊n / B⌋ ≤ version + η, with B groups in a rollout. This rule alone bounds the mean age; the second rule, a deadline for each group,
// bounds the age of every group.

interface StalenessOptions {
  perRollout: number;
  /** η, in iterations between the weights that a group began with and the weights that learn from it. */
  maxStaleness: number;
}

interface Group<Item> {
  /** The version of the weights with which the group began. */
  version: number;
  /** The group's episodes; null while it is played. */
  items: readonly Item[] | null;
}

/** Holds the groups that are played or wait for the learner. They are numbered over the whole run, from 0. */
export class StalenessQueue<Item> {
  readonly #groups = new Map<number, Group<Item>>();
  #ended = 0;

  constructor(private readonly options: StalenessOptions) {}

  mayBegin(group: number, version: number): boolean {
    const { perRollout, maxStaleness } = this.options;
    return group < (version + maxStaleness + 1) * perRollout;
  }

  begin(group: number, version: number): void {
    if (!this.#groups.has(group)) this.#groups.set(group, { version, items: null });
  }

  /** `items`: the episodes that have not failed; a group without any still counts in its rollout. */
  finish(group: number, items: readonly Item[]): void {
    this.#groups.get(group)!.items = items;
    this.#ended++;
  }

  get waiting(): number {
    return this.#ended;
  }

  get playing(): number[] {
    return [...this.#groups].flatMap(([group, { items }]) => (items === null ? [group] : []));
  }

  /** Lists the groups that wait for the learner, oldest first. */
  get finished(): { group: number; version: number; items: readonly Item[] }[] {
    return [...this.#groups]
      .flatMap(([group, { version, items }]) => (items === null ? [] : [{ group, version, items }]))
      .sort((a, b) => a.version - b.version || a.group - b.group);
  }

  /**
   * Removes and returns the oldest finished groups, in the order of their numbers; null while too few have finished, or while
   * taking them would make another one older than the bound.
   */
  take(iteration: number): (readonly Item[])[] | null {
    const { perRollout } = this.options;
    if (this.#ended < perRollout) return null;
    const chosen = this.finished.slice(0, perRollout);
    if (!this.#leavesTime(chosen, iteration)) return null;
    for (const { group } of chosen) this.#groups.delete(group);
    this.#ended -= perRollout;
    return chosen.sort((a, b) => a.group - b.group).map(({ items }) => items);
  }

  /**
   * A group of version v must be learned from in iteration v + η at the latest: the rollouts up to each deadline must have room
   * for all groups that are due by then.
   */
  #leavesTime(chosen: readonly { version: number }[], iteration: number): boolean {
    const { perRollout, maxStaleness } = this.options;
    const all = [...this.#groups.values()];
    const dueBy = (groups: readonly { version: number }[], deadline: number) =>
      groups.filter(({ version }) => version + maxStaleness <= deadline).length;
    for (let deadline = iteration; deadline < iteration + maxStaleness; deadline++) {
      const room = (deadline - iteration) * perRollout;
      if (dueBy(all, deadline) - dueBy(chosen, deadline) > room) return false;
    }
    return true;
  }
}
