// Which groups of episodes may begin, and which are learned from next, such that none is older than a bound when it is learned from.
// Source of the first rule: Fu et al. 2025 (AReaL), arXiv:2505.24298, eq. 3: ⌊n / B⌋ ≤ version + η for the n-th group, B of them in a
// rollout. It alone bounds the mean age; the second rule, a deadline for each group, bounds every one's.

interface StalenessOptions {
  /** Groups of a rollout. */
  perRollout: number;
  /** η, in iterations: from the weights that a group began with to the weights that learn from it. */
  maxStaleness: number;
}

interface Group<Item> {
  /** The version of the weights with which it began. */
  version: number;
  /** Null while it is played. */
  items: readonly Item[] | null;
}

/** Groups are counted over all of a run, from 0. */
export class StalenessQueue<Item> {
  readonly #groups = new Map<number, Group<Item>>();
  #ended = 0;

  constructor(private readonly options: StalenessOptions) {}

  /** Returns whether a group may begin with weights of this version. */
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
   * @param items none where the group failed: its place in the rollout stays empty
   */
  finish(group: number, items: readonly Item[]): void {
    this.#groups.get(group)!.items = items;
    this.#ended++;
  }

  /** Counts the groups that wait for the learner. */
  get waiting(): number {
    return this.#ended;
  }

  /** Lists the groups that are being played. */
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
   * Takes out the groups of an iteration's rollout: the oldest that have been played.
   *
   * @returns in the order of their numbers; null while there are too few, or while the rest could not be learned from in time
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
   * Returns whether the rest still fits. A group of version v is learned from at iteration v + η at the latest: for each deadline, later
   * rollouts have room for the rest.
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
