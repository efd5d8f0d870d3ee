// Finds the model that a request names.
import type { RequestReader } from '../../generation/completion-request.js';
import { unknownModel } from '../../generation/request-error.js';
import type { RequestFields } from './request-fields.js';

/** Returns the model's name; a request without one means the server's own model. @throws {BadRequestError} where the server has none of this name */
export function modelOf(
  fields: RequestFields,
  {
    name,
    adapterNames = () => [],
    answersAnyName = false,
  }: Pick<RequestReader, 'name' | 'adapterNames' | 'answersAnyName'>,
): string {
  const asked = fields.text('model', name);
  const names = [name, ...adapterNames()];
  if (names.includes(asked)) return asked;
  if (answersAnyName) return name;
  throw unknownModel(asked, names);
}
