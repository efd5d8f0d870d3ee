// Writes values as Python does. Hydra's texts (`1e-05`, `True`, `[1, 'two']`) appear in interpolated strings, sweep overrides and
// YAML output, so these must be equal character by character.
import { Bytes, Float, type ConfigNode, type Key, type Scalar } from './node.js';

/** Writes the shortest text that is read back as the same float: `1.0`, `0.0001`, `1e-05`, `1e+16`, `inf`, `nan`. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const digits = Math.abs(exponent).toString().padStart(2, '0');
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
  }
  const negative = mantissa.startsWith('-');
  const digits = mantissa.replace(/[-.]/g, '');
  const unsigned =
    exponent < 0
      ? `0.${'0'.repeat(-exponent - 1)}${digits}`
      : digits.length <= exponent + 1
        ? `${digits.padEnd(exponent + 1, '0')}.0`
        : `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
  return negative ? `-${unsigned}` : unsigned;
}

export function pythonStr(value: Scalar): string {
  return typeof value === 'string' ? value : pythonRepr(value);
}

export function pythonRepr(value: Scalar): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value instanceof Float) return floatRepr(value.value);
  if (value instanceof Bytes) return bytesRepr(Buffer.from(value.base64, 'base64'));
  return typeof value === 'string' ? stringRepr(value) : String(value);
}

/** Writes a node like Python's `str(node)`; interpolations inside containers are not resolved. */
export function nodeStr(node: ConfigNode): string {
  return node.kind === 'scalar' ? pythonStr(node.value) : nodeRepr(node);
}

function nodeRepr(node: ConfigNode): string {
  if (node.kind === 'scalar') return pythonRepr(node.value);
  if (node.kind === 'list') return `[${node.items.map(nodeRepr).join(', ')}]`;
  const pairs = [...node.entries.values()].map(({ key, node: child }) => `${pythonRepr(key)}: ${nodeRepr(child)}`);
  return `{${pairs.join(', ')}}`;
}

const namedEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

function stringRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = '';
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (char === quote) out += `\\${char}`;
    else if (namedEscapes[char]) out += namedEscapes[char];
    else if (code < 0x20 || code === 0x7f || (code >= 0x80 && code < 0xa1) || code === 0xad) {
      out += `\\x${code.toString(16).padStart(2, '0')}`;
    } else if (/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(char)) {
      out += code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
    } else out += char;
  }
  return quote + out + quote;
}

function bytesRepr(bytes: Uint8Array): string {
  let out = '';
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    if (namedEscapes[char]) out += namedEscapes[char];
    else if (char === "'") out += "\\'";
    else out += byte < 0x20 || byte >= 0x7f ? `\\x${byte.toString(16).padStart(2, '0')}` : char;
  }
  return `b'${out}'`;
}

/** Returns Python's name for the type of a value, for messages that equal Hydra's. */
export function pythonTypeName(node: ConfigNode): string {
  if (node.kind === 'map') return 'dict';
  if (node.kind === 'list') return 'list';
  const { value } = node;
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (value instanceof Float) return 'float';
  if (value instanceof Bytes) return 'bytes';
  return typeof value === 'string' ? 'str' : 'int';
}

/** Compares like Python's `a == b`: numbers by value (1 == 1.0 == True), text only with text, nan with nothing. */
export function pythonEquals(a: Scalar | Key, b: Scalar | Key): boolean {
  const left = asNumber(a);
  const right = asNumber(b);
  if (left !== undefined || right !== undefined) return left !== undefined && right !== undefined && left == right; // oxlint-disable-line eqeqeq -- bigint and number compare by value
  if (a instanceof Bytes) return b instanceof Bytes && a.base64 === b.base64;
  return a === b;
}

function asNumber(value: Scalar): number | bigint | undefined {
  if (value instanceof Float) return value.value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

export function toInteger(text: string, radix: 2 | 8 | 10 | 16 = 10): number | bigint {
  const negative = text.startsWith('-');
  const digits = text.replace(/^[-+]/, '') || '0';
  const prefix = { 2: '0b', 8: '0o', 10: '', 16: '0x' }[radix];
  return narrow(negative ? -BigInt(prefix + digits) : BigInt(prefix + digits));
}

/** Returns integers that a double represents exactly as numbers, others as bigint. */
export function narrow(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}
