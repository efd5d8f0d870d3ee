// Lists and articles as ALFWorld's grammar writes them.

/** `x`, `x, and y`, `x, y, and z`: a comma before the last one, also of two. */
export function englishList(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')}, and ${items[items.length - 1]}`;
}

/** The article is always "a". */
export const indefinite = (name: string): string => `a ${name}`;
