// Matches option names with shell patterns: `*`, `?`, `[abc]`, `[a-z]`, `[!a]`; they are case-sensitive, and match the whole
// name.

function toRegExp(pattern: string): RegExp {
  let source = '';
  for (let index = 0; index < pattern.length; index++) {
    const char = pattern[index]!;
    if (char === '*') source += '.*';
    else if (char === '?') source += '.';
    else if (char === '[') {
      // A ']' directly after the opening bracket or after '!' is a member of the set.
      const close = pattern.indexOf(']', index + (pattern[index + 1] === '!' ? 3 : 2));
      if (close < 0) source += '\\[';
      else {
        const set = pattern.slice(index + 1, close).replace(/[\\\]^[]/g, '\\$&');
        source += `[${set.startsWith('!') ? `^${set.slice(1)}` : set}]`;
        index = close;
      }
    } else source += char.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  }
  return new RegExp(`^${source}$`, 's');
}

/** Lists the names that match an `include` pattern and no `exclude` pattern, sorted. */
export function matchNames(names: readonly string[], include: readonly string[], exclude: readonly string[]): string[] {
  const wanted = include.map(toRegExp);
  const unwanted = exclude.map(toRegExp);
  return names
    .filter((name) => wanted.some((pattern) => pattern.test(name)) && !unwanted.some((pattern) => pattern.test(name)))
    .sort();
}
