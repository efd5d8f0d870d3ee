// Writes lists and articles in English as the text grammar of ALFWorld does, so that observations equal the original's.

/** Joins texts as `x`, `x, and y` or `x, y, and z`: ALFWorld's grammar has a comma even between two items. */
export function englishList(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')}, and ${items[items.length - 1]}`;
}

/** Adds the article "a", as ALFWorld does before every name. */
export const indefinite = (name: string): string => `a ${name}`;
