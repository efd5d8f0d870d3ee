// Decides which groups of episodes may begin, and which are learned from next, so that no group is older than a bound when it is
// learned from. Source of the first rule: Fu et al. 2025 (AReaL), arXiv:2505.24298, eq. 3: ⌊n / B⌋ ≤ version + η for the n-th
// group, B of them in a rollout. This rule alone bounds the mean age; the second rule, a deadline for each group, bounds the age
// of every group.

interface StalenessOptions {
  /** The number of groups in a rollout. */
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

/** Groups are numbered over the whole run, from 0. */
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

  /**
   * Ends a group.
   *
   * @param items empty for a group that failed: its place in the rollout stays empty
   */
  finish(group: number, items: readonly Item[]): void {
    this.#groups.get(group)!.items = items;
    this.#ended++;
  }

  /** Counts the groups that wait for the learner. */
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
   * Removes and returns the groups of an iteration's rollout: the oldest finished ones.
   *
   * @returns the groups in the order of their numbers; null while there are too few, or while the others could then not be
   *   learned from in time
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
   * Returns whether the other groups can still be learned from in time. A group of version v has the deadline v + η: for each
   * deadline, the later rollouts must have enough places.
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
