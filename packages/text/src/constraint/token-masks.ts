// Computes the tokens that may come next at a place (state of the grammar's automaton) by walking the trie of all tokens, and
// caches the result by local state. Tokens that extend beyond the rule's end are followed into the frame, where the text
// continues after the rule.
// Source: the division into tokens that a state alone decides and tokens that need the stack is XGrammar's (Dong et al. 2024,
// arXiv:2411.15100, section 3.1). Differs from it: masks are computed when first needed, and contain how many tokens are needed
// after each choice.
import { spend } from './effort.js';
import type { CountedState, Frame, LocalState, Machine, Place, Thread } from './machine.js';
import type { TokenTrie } from './token-trie.js';

/** Allowed tokens after which at least `need` more are needed to end the text, as ids or, if that is smaller, as bits. */
interface TokenGroup {
  readonly need: number;
  readonly ids: Int32Array | null;
  readonly bits: Uint32Array | null;
}

interface LocalMask {
  readonly groups: readonly TokenGroup[];
  /** The nodes of the token trie at which the rule may end, although tokens with more bytes exist below them. */
  readonly ends: readonly number[];
}

/**
 * The tokens that an unbounded repetition of a character class allows, by the number of its characters in a token; the last one
 * may be incomplete.
 */
interface CountedMask {
  /** By that number of characters, the tokens after which the repetition continues. */
  readonly within: readonly (readonly TokenGroup[])[];
  /** By that number of characters, the tokens that end after the repetition. */
  readonly behind: readonly (readonly TokenGroup[])[];
  readonly ends: readonly { readonly node: number; readonly count: number }[];
}

/** The number of visited trie nodes that count as one step of work (see effort.ts), if the automaton's state at them is known. */
const NODES_PER_STEP = 32;

/** An upper bound for repetitions that no token is long enough to reach. */
const UNREACHED = 1_000_000;

/** The largest size of the cached masks in bytes; beyond it all are dropped, and computed again when needed. */
const MAX_BYTES = 64 * 1024 * 1024;

export class TokenMasks {
  readonly #local = new Map<LocalState, LocalMask>();
  /** Caches the tokens that extend beyond the end of the rule, by local state and frame. */
  readonly #beyond = new Map<string, readonly TokenGroup[]>();
  /** By the state without bounds; null if some token can end both inside the repetition and after it. */
  readonly #counted = new Map<LocalState, CountedMask | null>();
  #bytes = 0;
  readonly #path: Place[] = [];

  constructor(
    private readonly machine: Machine,
    private readonly trie: TokenTrie,
  ) {}

  /**
   * Sets the bits of the tokens that a place (state of the automaton) allows; returns whether there are any.
   *
   * @param limit the most tokens that may be needed after the next one. If all tokens need more, those that need the fewest are
   * allowed, unless the text may end
   */
  write(place: Place, mask: Uint32Array, limit: number): boolean {
    const groups = this.#groupsAt(place);
    const least = leastOf(groups);
    if (least === Infinity || (least > limit && place.ends)) return false;
    for (const group of groups) if (group.need <= Math.max(limit, least)) add(mask, group);
    return true;
  }

  /** Returns the smallest number of tokens that are still needed after the best next token; infinite if no token is allowed. */
  leastNeed(place: Place): number {
    return leastOf(this.#groupsAt(place));
  }

  #groupsAt(place: Place): TokenGroup[] {
    const named = this.machine.namedTokens(place).map(({ id, thread: [local, frame] }) => {
      return { need: local.need + (frame?.need ?? 0), ids: Int32Array.of(id), bits: null };
    });
    return [...named, ...place.threads.flatMap((thread) => this.#groups(thread))];
  }

  #groups([local, frame]: Thread): TokenGroup[] {
    if (this.#bytes > MAX_BYTES) this.#forget();
    const own = this.#localMask(local);
    if (!frame) return [...own.groups];
    const shifted = own.groups.map((group) => ({ ...group, need: group.need + frame.need }));
    return [...shifted, ...this.#groupsBeyond(local, own, frame)];
  }

  #forget(): void {
    this.#local.clear();
    this.#beyond.clear();
    this.#counted.clear();
    this.#bytes = 0;
  }

  #localMask(local: LocalState): LocalMask {
    let mask = this.#local.get(local);
    if (!mask) {
      this.#local.set(local, (mask = this.#ofLocal(local)));
      this.#bytes += 4 * mask.ends.length;
    }
    return mask;
  }

  #ofLocal(local: LocalState): LocalMask {
    const counted = this.machine.counted(local);
    const usual = counted && this.#usual(counted);
    if (usual) return this.#ofCounted(counted, usual);
    const tokens = new GroupedTokens();
    const ends: number[] = [];
    this.#walkFrom(local, (node, place) => {
      this.#collect(node, place, tokens);
      if (place.ends && this.trie.end[node] > node + 1) ends.push(node);
    });
    return { groups: this.#kept(tokens), ends };
  }

  #collect(node: number, { need }: Place, tokens: GroupedTokens): void {
    const { token, further } = this.trie;
    if (need < Infinity) for (let id = token[node]; id >= 0; id = further[id]) tokens.add(need, id);
  }

  /** Visits all nodes of the token trie that can be reached from a local state within its rule. */
  #walkFrom(local: LocalState, visit: (node: number, place: Place) => void): void {
    const { trie, machine } = this;
    for (let child = 1; child < trie.end[0]; child = trie.end[child]) {
      const next = machine.nextLocal(local, trie.byte[child]);
      const place = next && machine.place([[next, null]]);
      if (!place) continue;
      visit(child, place);
      this.#walk(child, place, visit);
    }
  }

  /** The mask with an upper bound that no token reaches, from which those for all other bounds are derived. */
  #usual(counted: CountedState): CountedMask | null {
    const { machine, trie } = this;
    const base = machine.recounted(counted, 0, UNREACHED);
    const known = this.#counted.get(base);
    if (known !== undefined) return known;
    const within: GroupedTokens[] = [];
    const behind: GroupedTokens[] = [];
    const ends: { node: number; count: number }[] = [];
    const counts: number[] = [];
    let isClear = true;
    this.#walkFrom(base, (node, place) => {
      const left = machine.countAt(place, counted);
      if (left === undefined) isClear = false;
      const depth = trie.depth[node];
      const count = (counts[depth] = left ? UNREACHED - left : depth > 1 ? counts[depth - 1] : 0);
      const grouped = left === null ? behind : within;
      this.#collect(node, place, (grouped[count] ??= new GroupedTokens()));
      if (place.ends && trie.end[node] > node + 1) ends.push({ node, count });
    });
    const kept = (grouped: GroupedTokens[]) => Array.from(grouped, (tokens) => (tokens ? this.#kept(tokens) : []));
    const mask = isClear ? { within: kept(within), behind: kept(behind), ends } : null;
    this.#counted.set(base, mask);
    return mask;
  }

  /** While fewer characters than `min` have been written, only tokens that stay in the repetition are kept. */
  #ofCounted({ min, max, item, part }: CountedState, { within, behind, ends }: CountedMask): LocalMask {
    const each = this.machine.recounted({ item, part, min, max }, 1, 1).need - (item.tail?.need ?? 0);
    const inside = within.slice(0, max + 1).flatMap((groups, count) => {
      const missing = Math.max(0, min - count);
      return missing === 0 ? groups : groups.map((group) => ({ ...group, need: group.need + missing * each }));
    });
    return {
      groups: [...inside, ...behind.slice(min, max + 1).flat()],
      ends: ends.filter(({ count }) => min <= count && count <= max).map(({ node }) => node),
    };
  }

  #groupsBeyond(local: LocalState, { ends }: LocalMask, frame: NonNullable<Frame>): readonly TokenGroup[] {
    if (ends.length === 0) return [];
    const key = `${local.id},${frame.id}`;
    const known = this.#beyond.get(key);
    if (known) return known;
    const tokens = new GroupedTokens();
    const after = this.machine.place([[frame.after, frame.below]]);
    const visit = (node: number, place: Place) => this.#collect(node, place, tokens);
    if (after) for (const node of ends) this.#walk(node, after, visit);
    const groups = this.#kept(tokens);
    this.#beyond.set(key, groups);
    return groups;
  }

  /** Visits all trie nodes below `node` whose bytes the automaton allows from `place`, with the place at each. */
  #walk(node: number, place: Place, visit: (node: number, place: Place) => void): void {
    const { machine, trie } = this;
    const { byte, depth, end } = trie;
    const path = this.#path;
    path[depth[node]] = place;
    const last = end[node];
    let visited = 0;
    for (let at = node + 1; at < last;) {
      if (++visited % NODES_PER_STEP === 0) spend(1);
      const before = path[depth[at] - 1];
      let next = before.next[byte[at]];
      if (next === undefined) next = machine.next(before, byte[at]);
      if (next === null) {
        at = end[at];
        continue;
      }
      path[depth[at]] = next;
      visit(at, next);
      at++;
    }
  }

  #kept(tokens: GroupedTokens): TokenGroup[] {
    const groups = tokens.groups(this.trie.bytes.length);
    for (const { ids, bits } of groups) this.#bytes += (ids ?? bits!).byteLength;
    return groups;
  }
}

class GroupedTokens {
  readonly #byNeed = new Map<number, number[]>();
  #latest: number[] = [];
  #latestNeed = -1;

  add(need: number, id: number): void {
    if (need !== this.#latestNeed) {
      this.#latestNeed = need;
      this.#latest = this.#byNeed.get(need) ?? [];
      this.#byNeed.set(need, this.#latest);
    }
    this.#latest.push(id);
  }

  groups(vocabSize: number): TokenGroup[] {
    const words = Math.ceil(vocabSize / 32);
    return [...this.#byNeed].map(([need, ids]) => {
      if (ids.length <= words) return { need, ids: Int32Array.from(ids), bits: null };
      const bits = new Uint32Array(words);
      for (const id of ids) bits[id >>> 5] |= 1 << (id & 31);
      return { need, ids: null, bits };
    });
  }
}

const leastOf = (groups: readonly TokenGroup[]): number =>
  groups.reduce((least, { need }) => Math.min(least, need), Infinity);

function add(mask: Uint32Array, { ids, bits }: TokenGroup): void {
  if (ids) for (const id of ids) mask[id >>> 5] |= 1 << (id & 31);
  else for (let word = 0; word < bits!.length; word++) mask[word] |= bits![word];
}
