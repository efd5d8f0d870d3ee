// Schemas as far as the readers of values look at them.

export type Schema = Readonly<Record<string, unknown>>;

/** The schema that `#/…` refers to. */
export function resolved(reference: string, root: Schema | null): Schema | null {
  if (!reference.startsWith('#/')) return null;
  let value: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isSchema(value) || !Object.hasOwn(value, key)) return null;
    value = value[key];
  }
  return isSchema(value) ? value : null;
}

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
