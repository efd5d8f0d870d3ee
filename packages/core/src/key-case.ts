// Converts keys between snake_case in YAML and JSON and camelCase in code; no other file does.

export const toCamelCase = (key: string): string =>
  key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const toSnakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const camelKeys = (value: unknown): unknown => mapKeys(value, toCamelCase);

export const snakeKeys = (value: unknown): unknown => mapKeys(value, toSnakeCase);

/** The nodes of configs whose keys are names chosen by users, which are not converted. */
const NAMES = new Set(['adapters', 'prices', 'endpoint_keys', 'endpointKeys']);

function mapKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapKeys(item, rename));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [rename(key), NAMES.has(key) ? child : mapKeys(child, rename)]),
  );
}
