// Combines the length bounds, patterns and formats that JSON Schema requires of a string in one regular expression.
import { matchAnywhere, UnsupportedPatternError } from '../ecma-pattern.js';
import { anyCharacter, anyLiteral, anyText, both, not, times, type Regular } from '../regular.js';
import type { Facts } from './facts.js';
import { formatExpression, KNOWN_FORMATS } from './formats.js';
import { UnsupportedSchemaError } from './unsupported-schema-error.js';

type StringFacts = Pick<Facts, 'minLength' | 'maxLength' | 'patterns' | 'formats' | 'texts' | 'excluded'>;

/** Throws UnsupportedSchemaError for a pattern or a format. */
export function stringExpression({ minLength, maxLength, patterns, formats, texts, excluded }: StringFacts): Regular {
  const parts = [
    ...patterns.map(([pattern, path]) => patternExpression(pattern, path, 'pattern')),
    ...formats.flatMap(([format, path]) => formatOf(format, path) ?? []),
    ...texts,
  ];
  const others = excluded.filter((value) => typeof value === 'string');
  if (others.length > 0) parts.push(not(anyLiteral(others)));
  if (minLength > 0 || maxLength < Infinity) parts.push(times(anyCharacter, minLength, maxLength));
  return parts.length === 0 ? anyText : parts.length === 1 ? parts[0] : both(...parts);
}

/** Converts an ECMAScript pattern of a schema to a regular expression. `keyword`: `pattern` or `patternProperties`. */
export function patternExpression(pattern: string, path: string, keyword: string): Regular {
  try {
    return matchAnywhere(pattern);
  } catch (error) {
    if (error instanceof UnsupportedPatternError)
      throw new UnsupportedSchemaError(keyword, path, `is not supported: ${error.message}`);
    throw error;
  }
}

function formatOf(format: string, path: string): Regular | null {
  const expression = formatExpression(format);
  if (expression === undefined)
    throw new UnsupportedSchemaError(
      'format',
      path,
      `is ${JSON.stringify(format)}, which is not supported; known: ${KNOWN_FORMATS.join(', ')}`,
    );
  return expression;
}
