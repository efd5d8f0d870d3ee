// Determines the types of unquoted scalars: YAML 1.1 as OmegaConf 2.3's loader reads it (floats need no dot, there are no
// timestamps). Source: yaml.org/type.
import { Float, type Scalar } from '../node.js';
import { toInteger } from '../python-text.js';

const booleans = new Map<string, boolean>();
for (const word of ['yes', 'true', 'on']) for (const form of caseForms(word)) booleans.set(form, true);
for (const word of ['no', 'false', 'off']) for (const form of caseForms(word)) booleans.set(form, false);

function caseForms(word: string): string[] {
  return [word, word[0]!.toUpperCase() + word.slice(1), word.toUpperCase()];
}

const integer =
  /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const floats = [
  /^(?:[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
  /^(?:[-+]?[0-9]+(?:_[0-9]+)*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+(?:_[0-9]+)*[eE][-+]?[0-9]+|\.[0-9]+(?:_[0-9]+)*(?:[eE][-+][0-9]+)?|[-+]?[0-9]+(?:_[0-9]+)*(?::[0-5]?[0-9])+\.[0-9_]*)$/,
];

export type ImplicitTag = 'bool' | 'int' | 'float' | 'merge' | 'null' | 'value' | 'str';

export function implicitTag(text: string): ImplicitTag {
  if (text === '' || text === '~' || text === 'null' || text === 'Null' || text === 'NULL') return 'null';
  if (booleans.has(text)) return 'bool';
  if (/^[-+.0-9]/.test(text)) {
    if (integer.test(text)) return 'int';
    if (floats.some((form) => form.test(text))) return 'float';
  }
  if (text === '<<') return 'merge';
  return text === '=' ? 'value' : 'str';
}

/** Converts text to a type that it has or was tagged with; undefined if the text does not fit the type. */
export function scalarOfTag(tag: ImplicitTag, text: string): Scalar | undefined {
  if (tag === 'null') return null;
  if (tag === 'bool') return booleans.get(text.toLowerCase());
  if (tag === 'int') return integerValue(text);
  if (tag === 'float') return floatValue(text);
  return text;
}

function integerValue(text: string): Scalar | undefined {
  const sign = text.startsWith('-') ? '-' : '';
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '');
  if (/^0b[01]+$/.test(digits)) return toInteger(sign + digits.slice(2), 2);
  if (/^0x[0-9a-fA-F]+$/.test(digits)) return toInteger(sign + digits.slice(2), 16);
  if (/^0[0-7]+$/.test(digits)) return toInteger(sign + digits, 8);
  if (/^[0-9]+$/.test(digits) && (digits === '0' || !digits.startsWith('0'))) return toInteger(sign + digits);
  if (!/^[0-9]+(:[0-9]+)+$/.test(digits)) return undefined;
  const total = digits.split(':').reduce((sum, part) => sum * 60n + BigInt(part), 0n);
  return toInteger(sign + total.toString());
}

function floatValue(text: string): Scalar | undefined {
  const lower = text.replaceAll('_', '').toLowerCase();
  const sign = lower.startsWith('-') ? -1 : 1;
  const digits = lower.replace(/^[-+]/, '');
  if (digits === '.inf') return new Float(sign * Infinity);
  if (digits === '.nan') return new Float(NaN);
  if (/^[0-9]+(:[0-9]+)*:[0-9]+\.?[0-9]*$/.test(digits)) {
    // Base-60 parts are summed in Python's order: the last one first, each earlier one times a higher power of 60.
    const parts = digits.split(':').reverse();
    return new Float(sign * parts.reduce((sum, part, power) => sum + Number(part) * 60 ** power, 0));
  }
  if (!/^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?$/.test(digits)) return undefined;
  return new Float(sign * Number(digits));
}
