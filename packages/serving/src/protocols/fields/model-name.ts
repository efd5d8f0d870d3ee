// Finds the model or adapter that a request names.
import type { RequestReader } from '../../generation/completion-request.js';
import { unknownModel } from '../../generation/request-error.js';
import type { RequestFields } from './request-fields.js';

/** A request without a name is answered by the base model. @throws {BadRequestError} for an unknown name */
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
