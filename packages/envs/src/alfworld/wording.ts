// Lists and articles as ALFWorld's grammar writes them.

/** Joins texts as ALFWorld's grammar does: `x`, `x, and y`, `x, y, and z`, with a comma also between two. */
export function englishList(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')}, and ${items[items.length - 1]}`;
}

/** Adds the article, which is always "a". */
export const indefinite = (name: string): string => `a ${name}`;
