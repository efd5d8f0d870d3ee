// Formats values as Python does: strings (repr), dicts of strings, floats, JSON. Ported games use it, so that their texts equal
// the originals'. Source: CPython's unicode_repr and float_repr_style 'short'.

const named: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Characters that Python's repr escapes: control, format, private-use, unassigned, surrogate, all spaces but U+0020. */
const unprintable = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

function escaped(character: string, quote: string): string {
  if (character === quote) return `\\${quote}`;
  const short = named[character];
  if (short !== undefined) return short;
  if (!unprintable.test(character)) return character;
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** Returns the text in single quotes, or in double quotes if it contains single but no double ones, as Python's repr does. */
export function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return `${quote}${Array.from(text, (character) => escaped(character, quote)).join('')}${quote}`;
}

export const pythonDict = (dict: ReadonlyMap<string, string>): string =>
  `{${[...dict].map(([key, value]) => `${pythonString(key)}: ${pythonString(value)}`).join(', ')}}`;

/** Formats a float as Python's repr does: `74.1`, `20.0`, `1e-07`. */
export function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  const [digits, exponent] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power < -4 || power >= 16) return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

/** Rounds to two decimals as `round(value, 2)` does: ties go to the even digit. */
export function pythonRound(value: number): number {
  const halves = value * 200; // exact for ties, since the value is then an odd number of eighths
  const isTie = Number.isInteger(value * 8) && Number.isInteger(halves) && Math.abs(halves % 2) === 1;
  return isTie ? (2 * Math.round(halves / 4)) / 100 : Number(value.toFixed(2));
}

/** Formats JSON as Python's `json.dumps` does, in ASCII. All numbers are written as floats, and maps as objects. */
export function pythonJson(value: unknown, { sorted = false } = {}): string {
  if (typeof value === 'string') return JSON.stringify(value).replace(/[^ -~]/g, jsonEscaped);
  if (typeof value === 'number') return pythonFloat(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => pythonJson(item, { sorted })).join(', ')}]`;
  const members = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  if (sorted) members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${pythonJson(key)}: ${pythonJson(member, { sorted })}`).join(', ')}}`;
}

const jsonEscaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Formats a dict as Flask's filter `tojson` does: sorted keys, ASCII, with <, >, & and ' escaped. */
export function flaskJson(dict: ReadonlyMap<string, string>): string {
  const text = (value: string) => JSON.stringify(value).replace(/[^ -~]|[<>&']/g, jsonEscaped);
  const sorted = [...dict].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, value]) => `${text(key)}: ${text(value)}`).join(', ')}}`;
}
