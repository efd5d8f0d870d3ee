// Answers GET /v1/responses/{id}/input_items, which lists the input of the request that led to a stored response, in pages.
import { BadRequestError } from '../../generation/request-error.js';
import type { Item } from './stored-responses.js';

const LONGEST_PAGE = 100;

/**
 * @param query `limit` (default 20), `order` (`desc`, the default, begins with the last item) and `after`, the id of the last
 *   item of the previous page
 */
export function listInputItems(input: readonly Item[], query: URLSearchParams): object {
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > LONGEST_PAGE)
    throw new BadRequestError(`'limit' must be an integer from 1 to ${LONGEST_PAGE}`, 'limit');
  const ordered = query.get('order') === 'asc' ? [...input] : [...input].reverse();
  const after = query.get('after');
  const from = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== null && from === 0)
    throw new BadRequestError(`'after' is not the id of an item of this response`, 'after');
  const data = ordered.slice(from, from + limit).map(shown);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < ordered.length,
  };
}

/** Returns the item; if it is a message, with its text as a list with one content part, as clients expect it. */
function shown(item: Item): Item {
  if (item.type !== 'message' || typeof item.content !== 'string') return item;
  const type = item.role === 'assistant' ? 'output_text' : 'input_text';
  return { ...item, content: [{ type, text: item.content, ...(type === 'output_text' && { annotations: [] }) }] };
}
