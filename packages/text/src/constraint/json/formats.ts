// Defines the formats of strings in JSON Schema (`date-time`, `email`, …). Each matches only a subset of what its standard
// allows, which common validators accept.
// Source: JSON Schema 2020-12, Validation, section 7.3, and the standards named there (RFC 3339, 4122, 5321, 1123, 4291, 3986,
// 6901).
import { wholeMatch } from '../ecma-pattern.js';
import type { Regular } from '../regular.js';

const LEAP = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const DATE = `(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|${LEAP}-02-29)`;
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?';
const ZONE = '(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)';

const COUNT = '\\d{1,9}';
const DAYS = `${COUNT}D`;
const MONTHS = `${COUNT}M(?:${DAYS})?`;
/** Matches the years, months and days of an ISO 8601 duration. Days may follow years only after months. */
const YEARS = `${COUNT}Y(?:${MONTHS})?`;
const SECONDS = `${COUNT}S`;
const MINUTES = `${COUNT}M(?:${SECONDS})?`;
const HOURS = `T(?:${COUNT}H(?:${MINUTES})?|${MINUTES}|${SECONDS})`;

const LETTER = '[A-Za-z0-9]';
const INNER = '[A-Za-z0-9-]';
/** Labels of a host name, without most encoded ones (`xn--…`), which have hyphens at the third and fourth position. */
const LABEL = `${LETTER}(?:${INNER}{0,2}${LETTER}|${INNER}(?:${LETTER}${INNER}|-${LETTER})${INNER}{0,58}${LETTER})?`;
/** Matches a host name of at most three labels, which never exceeds 253 characters. */
const HOST = `${LABEL}(?:\\.${LABEL}){0,2}`;
const MAILBOX = '[A-Za-z0-9_+-]{1,31}(?:\\.[A-Za-z0-9_+-]{1,31})?';

const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = `${BYTE}(?:\\.${BYTE}){3}`;
const GROUP = '[0-9A-Fa-f]{1,4}';
/** Matches an IPv6 address: all eight groups, or the groups around one omitted run of zeros (`::`). */
const IPV6 = `(?:(?:${GROUP}:){7}${GROUP}|(?:${GROUP}:){1,6}:${GROUP}|(?:${GROUP}:){1,7}:|:(?::${GROUP}){1,7}|::)`;

const SEGMENT = "[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2}";
const PATH = `(?:${SEGMENT}|:)`;
const TAIL = `(?:/${PATH}*)*(?:\\?(?:${PATH}|[/?])*)?(?:#(?:${PATH}|[/?])*)?`;
const URI = `(?:[a-z][a-z0-9+.-]{0,30}://${HOST}(?::\\d{1,5})?${TAIL}|(?:urn|mailto|tel|data):${PATH}{3,})`;
/** The first segment of a relative reference has no colon, since the text before the colon would be a scheme. */
const REFERENCE = `(?:${URI}|(?:/${PATH}+|(?:${SEGMENT})+)${TAIL})`;
const POINTER = '(?:/(?:[^~/]|~[01])*)*';

const patterns: Readonly<Record<string, string>> = {
  date: DATE,
  time: CLOCK + ZONE,
  'date-time': `${DATE}T${CLOCK}${ZONE}`,
  duration: `P(?:${COUNT}W|(?:${YEARS}|${MONTHS}|${DAYS})(?:${HOURS})?|${HOURS})`,
  email: `${MAILBOX}@${LABEL}(?:\\.${LABEL}){1,2}`,
  hostname: HOST,
  ipv4: IPV4,
  ipv6: IPV6,
  uuid: '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}',
  uri: URI,
  'uri-reference': REFERENCE,
  iri: URI,
  'iri-reference': REFERENCE,
  'json-pointer': POINTER,
  'relative-json-pointer': `(?:0|[1-9]\\d{0,8})(?:#|${POINTER})`,
  byte: '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?',
};

/** The formats that do not constrain a string. */
const WITHOUT_EFFECT: readonly string[] = ['password', 'binary'];

/** The formats of numbers, which do not apply to strings. */
const NUMBER_FORMATS: readonly string[] = ['int32', 'int64', 'float', 'double'];

export const KNOWN_FORMATS: readonly string[] = [...Object.keys(patterns), ...WITHOUT_EFFECT, ...NUMBER_FORMATS];

const compiled = new Map<string, Regular>();

/** Returns the expression of a format. Null if the format does not constrain strings; undefined if it is unknown. */
export function formatExpression(format: string): Regular | null | undefined {
  if (WITHOUT_EFFECT.includes(format) || NUMBER_FORMATS.includes(format)) return null;
  if (!Object.hasOwn(patterns, format)) return undefined;
  let expression = compiled.get(format);
  if (!expression) compiled.set(format, (expression = wholeMatch(patterns[format])));
  return expression;
}
