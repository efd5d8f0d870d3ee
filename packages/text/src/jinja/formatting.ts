// Formats values as Python does, for Jinja templates: `'%s' % value` and `'{}'.format(value)`.
import { repr, textOf } from './printing.js';
import { TemplateError } from './template-error.js';
import { floatOf, isFloat, numberOf, Tuple, typeName, Undefined, type Value } from './values.js';
import { checkLength, spendLength } from './work.js';

interface Spec {
  flags: string;
  width: number;
  precision: number | null;
  type: string;
}

const PERCENT = /%(?:\(([^)]*)\))?([-+ 0#]*)(\d*)(?:\.(\d+))?([diouxXeEfFgGcrs%])|%/g;

/** Replaces each placeholder of a format by the text that `field` returns for it. */
function filled(format: string, marks: RegExp, field: (...found: (string | undefined)[]) => string): string {
  let length = format.length;
  return format.replace(marks, (...found: (string | undefined)[]) => {
    const text = field(...found);
    checkLength((length += text.length));
    return text;
  });
}

/** Computes `format % values`, where values is a tuple, a dict for `%(name)s`, or a single value. */
export function formatPercent(format: string, values: Value): string {
  const list = values instanceof Tuple ? values.items : [values];
  let used = 0;
  const text = filled(format, PERCENT, (whole, name, flags, width, precision, type) => {
    if (type === undefined) throw new TemplateError(`unsupported format '${whole}' in ${JSON.stringify(format)}`);
    if (type === '%') return '%';
    const value = name === undefined ? list[used++] : values instanceof Map ? values.get(name) : undefined;
    if (value === undefined) throw new TemplateError(`no value for '${whole}' in ${JSON.stringify(format)}`);
    return padded(value, {
      flags: flags!,
      width: Number(width),
      precision: precision === undefined ? null : Number(precision),
      type,
    });
  });
  const mayBeLeft = values instanceof Map || Array.isArray(values) || values instanceof Undefined;
  if (used < list.length && !mayBeLeft)
    throw new TemplateError(`more values than formats in ${JSON.stringify(format)}`);
  return text;
}

function padded(value: Value, { flags, width, precision, type }: Spec): string {
  spendLength(width);
  const isNumber = !/[crs]/.test(type);
  const body = isNumber
    ? numberText(value, precision, type)
    : cut(type === 'r' ? repr(value) : textOf(value), precision);
  const signed =
    isNumber && !body.startsWith('-')
      ? flags.includes('+')
        ? `+${body}`
        : flags.includes(' ')
          ? ` ${body}`
          : body
      : body;
  if (flags.includes('-')) return signed.padEnd(width);
  if (!isNumber || !flags.includes('0')) return signed.padStart(width);
  const sign = /^[-+ ]/.exec(signed)?.[0] ?? '';
  return sign + signed.slice(sign.length).padStart(width - sign.length, '0');
}

const cut = (text: string, precision: number | null): string =>
  precision === null ? text : Array.from(text).slice(0, precision).join('');

/** Writes a number with `places` decimals, rounding half to even; toFixed would round half up. */
function fixed(number: number, places: number): string {
  if (places > 100) throw new TemplateError(`a number with ${places} decimals: at most 100 are written`);
  const text = number.toFixed(places);
  const more = Math.abs(number).toFixed(Math.min(100, places + 30));
  const [kept, rest] = [more.slice(0, more.length - 30), more.slice(more.length - 30)];
  const isHalf = places <= 70 && /^50*$/.test(rest);
  if (!isHalf || !/[02468]\.?$/.test(kept)) return text;
  return (number < 0 ? '-' : '') + kept.replace(/\.$/, '');
}

function numberText(value: Value, precision: number | null, type: string): string {
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`%${type} needs a number, not ${typeName(value)}`);
  if (/[fF]/.test(type)) return fixed(number, precision ?? 6);
  if (/[eEgGcou]/.test(type)) throw new TemplateError(`the format %${type} is not supported`);
  if (isFloat(value) && /[xX]/.test(type)) throw new TemplateError(`%${type} needs an integer, not float`);
  if (type === 'x') return Math.trunc(number).toString(16);
  return type === 'X' ? Math.trunc(number).toString(16).toUpperCase() : String(Math.trunc(number));
}

const BRACES = /\{\{|\}\}|\{(\w*)(?:!([rs]))?(?::([^{}]*))?\}|[{}]/g;

/** Formats like str.format. Supported are fields by position or name, `!r` and `!s`, and the format specifications `.Nf`, `d` and `s`. */
export function formatBraces(format: string, args: readonly Value[], named: ReadonlyMap<string, Value>): string {
  let next = 0;
  return filled(format, BRACES, (whole, field, conversion, spec = '') => {
    if (whole === '{{' || whole === '}}') return whole[0];
    if (field === undefined) throw new TemplateError(`unsupported field at '${whole}' in ${JSON.stringify(format)}`);
    const value = field === '' ? args[next++] : /^\d+$/.test(field) ? args[Number(field)] : named.get(field);
    if (value === undefined) throw new TemplateError(`no value for '${whole}' in ${JSON.stringify(format)}`);
    if (conversion === 'r') return repr(value);
    const fixed = /^\.(\d+)f$/.exec(spec);
    if (fixed) return numberText(value, Number(fixed[1]), 'f');
    if (spec === 'd') return numberText(value, null, 'd');
    if (spec !== '' && spec !== 's') throw new TemplateError(`the format specification ':${spec}' is not supported`);
    return textOf(value);
  });
}

/** Rounds a number to `places` decimals as Python does: half to even. */
export function rounded(number: number, places: number, method: 'common' | 'ceil' | 'floor'): Value {
  const scale = 10 ** places;
  if (method !== 'common') return floatOf(Math[method](number * scale) / scale);
  if (places > 0) return floatOf(Number(fixed(number, Math.min(places, 100))));
  const scaled = number * scale;
  const nearest = Math.round(scaled);
  const isHalf = Math.abs(scaled % 1) === 0.5;
  return floatOf((isHalf && nearest % 2 !== 0 ? nearest - 1 : nearest) / scale);
}
