// Gives the input items of a Responses request types and ids, and replaces references to stored items.
import { randomUUID } from 'node:crypto';
import { BadRequestError } from '../../generation/request-error.js';
import type { RequestFields } from '../fields/request-fields.js';
import type { Item, StoredResponses } from './stored-responses.js';

/** Returns the request's own items, without those of earlier responses. @throws {BadRequestError} */
export function givenItems(fields: RequestFields, stored: StoredResponses): Item[] {
  const input = fields.value('input');
  if (typeof input === 'string') return [withId({ type: 'message', role: 'user', content: input })];
  if (input === undefined || (Array.isArray(input) && input.length === 0)) return [];
  return fields.objects('input', null).map((given) => {
    const item = given.plain();
    const isReference = item.type === 'item_reference' || (item.type === undefined && item.role === undefined);
    return isReference ? referredItem(given, stored) : withId({ ...item, type: item.type ?? 'message' });
  });
}

function referredItem(reference: RequestFields, stored: StoredResponses): Item {
  const id = reference.text('id', '');
  const item = stored.item(id);
  if (item !== undefined) return item;
  throw new BadRequestError(
    `Item with id '${id}' not found; this server keeps the items of stored responses, and only the newest responses`,
    'input',
    'not_found',
  );
}

const prefixes: Readonly<Record<string, string>> = { message: 'msg', function_call: 'fc', reasoning: 'rs' };

function withId(item: Record<string, unknown>): Item {
  const prefix = prefixes[String(item.type)] ?? 'item';
  return { ...item, id: typeof item.id === 'string' ? item.id : `${prefix}_${randomUUID().replaceAll('-', '')}` };
}
