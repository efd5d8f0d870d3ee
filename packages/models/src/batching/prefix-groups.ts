// Groups examples that begin with the same unscored tokens, such as the answers to one prompt, so that these tokens are computed
// once.

interface PrefixGroup {
  /** Indices of the examples. */
  members: number[];
  /** The number of tokens that all members begin with. */
  prefix: number;
}

/** A group must save at least this many tokens, and at least this share of its tokens; below that, batches by length are faster. */
const LEAST_SAVED = 128;
const LEAST_SHARE = 0.1;

interface Row {
  ids: Int32Array;
  /** The number of tokens before the first scored one. */
  free: number;
  /** The number of tokens that the model reads. */
  length: number;
}

/**
 * Returns the groups whose shared prefix saves enough tokens. Examples are sorted by their ids, and a group is a run in that
 * order: it takes in the next example while that raises the number of tokens saved, (members − 1) · prefix.
 */
export function prefixGroups(rows: readonly Row[]): PrefixGroup[] {
  const order = rows.map((_, i) => i).sort((a, b) => compareIds(rows[a].ids, rows[b].ids) || a - b);
  const groups: PrefixGroup[] = [];
  for (let start = 0; start < order.length;) {
    let prefix = rows[order[start]].free;
    let end = start + 1;
    for (; end < order.length; end++) {
      const row = rows[order[end]];
      const longer = Math.min(prefix, row.free, commonIds(rows[order[end - 1]].ids, row.ids));
      const count = end - start;
      if (count * longer < (count - 1) * prefix || longer === 0) break;
      prefix = longer;
    }
    const members = order.slice(start, end).sort((a, b) => a - b);
    const saved = (members.length - 1) * prefix;
    const total = members.reduce((sum, i) => sum + rows[i].length, 0);
    if (saved >= LEAST_SAVED && saved >= LEAST_SHARE * total) groups.push({ members, prefix });
    start = end;
  }
  return groups;
}

function commonIds(a: Int32Array, b: Int32Array): number {
  const end = Math.min(a.length, b.length);
  let length = 0;
  while (length < end && a[length] === b[length]) length++;
  return length;
}

function compareIds(a: Int32Array, b: Int32Array): number {
  const common = commonIds(a, b);
  return common === a.length || common === b.length ? a.length - b.length : a[common] - b[common];
}
