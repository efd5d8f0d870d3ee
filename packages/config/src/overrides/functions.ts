// Defines the functions that an override's value may call.
// Source: Hydra's documentation ("Extended Override syntax"), Hydra 1.3; extend_list and json_str from 1.4.
import { Float } from '../node.js';
import { floatRepr, narrow, pythonStr, toInteger } from '../python-text.js';
import { isNegative, reversedRange } from './decimal-range.js';
import { OverrideSyntaxError } from './syntax-error.js';
import {
  ChoiceSweep,
  DictValue,
  GlobSweep,
  IntervalSweep,
  ListExtension,
  QuotedString,
  RangeSweep,
  isNumber,
  isSweep,
  type Element,
  type OverrideValue,
} from './value.js';

export interface Argument {
  readonly name?: string;
  readonly value: OverrideValue;
}

interface Call {
  readonly positional: OverrideValue[];
  readonly named: Map<string, OverrideValue>;
}

/** Thrown by a function of the override grammar; the parser adds the position in the override. */
class CallError extends Error {}

const functions: Record<string, (call: Call) => OverrideValue> = {
  bool: (call) => cast(call, 'bool', toBool),
  choice,
  extend_list: ({ positional, named }) => {
    onlyNamed(named, []);
    return new ListExtension(positional.map((item) => plain(item, 'extend_list')));
  },
  float: (call) => cast(call, 'float', toFloatValue),
  glob,
  int: (call) => cast(call, 'int', toInt),
  interval,
  json_str: (call) => castJson(call),
  range,
  shuffle,
  sort,
  str: (call) => cast(call, 'str', toStr),
  tag,
};

export const functionNames: readonly string[] = Object.keys(functions);

/** Calls a function of the override grammar. `index`: of the call in the override, for error messages. */
export function callFunction(name: string, args: readonly Argument[], index: number): OverrideValue {
  const implementation = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!implementation) {
    throw new OverrideSyntaxError(
      `unknown function '${name}'`,
      index,
      `available: ${functionNames.join(', ')}; to mean the text itself, quote it`,
    );
  }
  const positional = args.filter((arg) => arg.name === undefined).map((arg) => unquoted(arg.value));
  const named = new Map(args.filter((arg) => arg.name !== undefined).map((arg) => [arg.name!, unquoted(arg.value)]));
  try {
    return implementation({ positional, named });
  } catch (error) {
    if (!(error instanceof CallError) && !(error instanceof RangeError)) throw error;
    throw new OverrideSyntaxError(`${name}(…): ${error.message}`, index);
  }
}

const unquoted = (value: OverrideValue) => (value instanceof QuotedString ? value.text : value);

function plain(value: OverrideValue, name: string): Element {
  if (isSweep(value) || value instanceof ListExtension)
    throw new CallError(`a sweep cannot be an argument of ${name} here`);
  return value;
}

function onlyNamed(named: Map<string, OverrideValue>, known: readonly string[]): void {
  for (const name of named.keys()) {
    if (known.includes(name)) continue;
    throw new CallError(`no argument is named '${name}'${known.length > 0 ? `; known: ${known.join(', ')}` : ''}`);
  }
}

function bind(
  { positional, named }: Call,
  parameters: readonly string[],
  required: number,
): (OverrideValue | undefined)[] {
  onlyNamed(named, parameters);
  if (positional.length > parameters.length)
    throw new CallError(`takes ${parameters.length} arguments, not ${positional.length}`);
  return parameters.map((name, place) => {
    const byName = named.get(name);
    if (place < positional.length && byName !== undefined) throw new CallError(`'${name}' is given twice`);
    const value = place < positional.length ? positional[place] : byName;
    if (value === undefined && place < required) throw new CallError(`argument '${name}' is missing`);
    return value;
  });
}

type Caster = (value: null | boolean | number | bigint | Float | string) => Element;

function castArgument({ positional, named }: Call): OverrideValue {
  onlyNamed(named, ['value']);
  const value = named.get('value');
  if (value !== undefined && value !== null) {
    if (positional.length > 0) throw new CallError('takes positional arguments or value=…, not both');
    return value;
  }
  if (positional.length === 0) throw new CallError('needs an argument');
  if (positional.length === 1) return positional[0]!;
  return new ChoiceSweep(
    positional.map((item) => plain(item, 'a cast')),
    true,
  );
}

function cast(call: Call, type: 'int' | 'float' | 'str' | 'bool', caster: Caster): OverrideValue {
  return castValue(castArgument(call), type, caster);
}

function castValue(value: OverrideValue, type: 'int' | 'float' | 'str' | 'bool', caster: Caster): OverrideValue {
  if (value instanceof ChoiceSweep)
    return new ChoiceSweep(
      value.items.map((item) => castElement(item, caster)),
      value.simple,
      false,
    );
  if (value instanceof RangeSweep) {
    if (type === 'str' || type === 'bool') throw new CallError('a range can only be cast to int or float');
    return new RangeSweep(castBound(value.start, caster), castBound(value.stop, caster), castBound(value.step, caster));
  }
  if (value instanceof IntervalSweep) {
    if (type === 'str' || type === 'bool') throw new CallError(`an interval cannot be cast to ${type}`);
    return new IntervalSweep(castBound(value.start, caster), castBound(value.end, caster));
  }
  if (value instanceof GlobSweep || value instanceof ListExtension) throw new CallError('this value cannot be cast');
  return castElement(value, caster);
}

function castElement(value: Element, caster: Caster): Element {
  if (value instanceof QuotedString) return caster(value.text);
  if (Array.isArray(value)) return value.map((item) => castElement(item, caster));
  if (!(value instanceof DictValue)) return caster(value);
  const dict = new DictValue();
  for (const { key, value: item } of value.pairs) dict.pairs.push({ key, value: castElement(item, caster) });
  return dict;
}

const castBound = (bound: number | bigint | Float, caster: Caster) => caster(bound) as number | bigint | Float;

function toInt(value: Parameters<Caster>[0]): Element {
  if (value === null) throw new CallError('null cannot become an int');
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Float) {
    if (!Number.isFinite(value.value)) throw new CallError(`${floatRepr(value.value)} cannot become an int`);
    return narrow(BigInt(Math.trunc(value.value)));
  }
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (!/^[-+]?\d+(_\d+)*$/.test(text)) throw new CallError(`'${value}' is not an integer`);
  return toInteger(text.replaceAll('_', ''));
}

function toFloatValue(value: Parameters<Caster>[0]): Element {
  if (value === null) throw new CallError('null cannot become a float');
  if (value instanceof Float) return value;
  if (typeof value !== 'string') return new Float(Number(value));
  const text = value.trim().toLowerCase();
  if (/^[-+]?inf(inity)?$/.test(text)) return new Float(text.startsWith('-') ? -Infinity : Infinity);
  if (/^[-+]?nan$/.test(text)) return new Float(NaN);
  if (!/^[-+]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[-+]?\d+(_\d+)*)?$/.test(text))
    throw new CallError(`'${value}' is not a number`);
  return new Float(Number(text.replaceAll('_', '')));
}

function toStr(value: Parameters<Caster>[0]): Element {
  if (value === null) throw new CallError('null cannot become a string');
  return typeof value === 'boolean' ? String(value) : pythonStr(value);
}

function toBool(value: Parameters<Caster>[0]): Element {
  if (typeof value === 'string') {
    const text = value.toLowerCase();
    if (text !== 'true' && text !== 'false') throw new CallError(`'${value}' is neither true nor false`);
    return text === 'true';
  }
  return value instanceof Float ? value.value !== 0 : Boolean(value);
}

function castJson(call: Call): OverrideValue {
  const value = castArgument(call);
  if (value instanceof ChoiceSweep) return new ChoiceSweep(value.items.map(jsonText), value.simple);
  if (isSweep(value) || value instanceof ListExtension) throw new CallError('only values and choices have a JSON text');
  return jsonText(value);
}

/** Writes JSON like Python's json.dumps: a space after ',' and ':', ASCII only, NaN and Infinity by name. */
function jsonText(value: Element): string {
  if (value instanceof QuotedString) return jsonText(value.text);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (value instanceof DictValue)
    return `{${value.pairs.map(({ key, value: item }) => `${jsonKey(key)}: ${jsonText(item)}`).join(', ')}}`;
  if (typeof value === 'string') return asciiOnly(JSON.stringify(value));
  if (value instanceof Float) return floatRepr(value.value).replace('inf', 'Infinity').replace('nan', 'NaN');
  return String(value);
}

function jsonKey(key: Element): string {
  return typeof key === 'string' ? jsonText(key) : `"${jsonText(key)}"`;
}

const asciiOnly = (text: string) =>
  text
    .replace(/[\x7f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('\\u007f', '\x7f');

function choice({ positional, named }: Call): OverrideValue {
  onlyNamed(named, []);
  if (positional.length === 0) throw new CallError('needs at least one value');
  const [first] = positional;
  if (positional.length === 1 && first instanceof ChoiceSweep) {
    if (!first.simple) throw new CallError('choices cannot nest');
    return new ChoiceSweep(first.items, false, first.shuffle);
  }
  return new ChoiceSweep(
    positional.map((item) => {
      if (item === null) throw new CallError('null cannot be a choice here; write it as a, b, null with commas');
      return plain(item, 'choice');
    }),
    false,
  );
}

function range(call: Call): OverrideValue {
  const [first, stop, step] = bind(call, ['start', 'stop', 'step'], 1).map((value, place) => {
    if (value === undefined || (value === null && place === 1)) return undefined;
    return number(value, ['start', 'stop', 'step'][place]!);
  });
  return stop === undefined ? new RangeSweep(0, first!, step ?? 1) : new RangeSweep(first!, stop, step ?? 1);
}

function number(value: OverrideValue, name: string): number | bigint | Float {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (!isNumber(value)) throw new CallError(`'${name}' must be a number`);
  return value;
}

function interval(call: Call): OverrideValue {
  const [start, end] = bind(call, ['start', 'end'], 2) as [OverrideValue, OverrideValue];
  const bound = (value: OverrideValue, name: string) => toFloatValue(number(value, name)) as Float;
  return new IntervalSweep(bound(start, 'start'), bound(end, 'end'));
}

function glob(call: Call): OverrideValue {
  const [include, exclude] = bind(call, ['include', 'exclude'], 1);
  return new GlobSweep(
    patterns(include!, 'include'),
    exclude === undefined || exclude === null ? [] : patterns(exclude, 'exclude'),
  );
}

function patterns(value: OverrideValue, name: string): string[] {
  const items = Array.isArray(value) ? value : [value];
  return items.map((item) => {
    const text = item instanceof QuotedString ? item.text : item;
    if (typeof text !== 'string') throw new CallError(`'${name}' must be a pattern or a list of patterns`);
    return text;
  });
}

function tag({ positional, named }: Call): OverrideValue {
  onlyNamed(named, ['sweep']);
  if (positional.length === 0) throw new CallError('needs tags and a sweep');
  const sweep = named.get('sweep') ?? positional.pop();
  if (!(sweep instanceof ChoiceSweep || sweep instanceof RangeSweep || sweep instanceof IntervalSweep)) {
    throw new CallError('the last argument must be choice(…), range(…) or interval(…)');
  }
  for (const name of positional) {
    if (typeof name !== 'string') throw new CallError('tags are words');
    sweep.tags.add(name);
  }
  return sweep;
}

/** `sweep=…`, `list=…`, a single positional argument, or several, which are taken as a choice. */
function ordered({ positional, named }: Call): { value: OverrideValue; several: boolean } {
  const byName = named.get('list') ?? named.get('sweep');
  if (byName !== undefined && byName !== null) return { value: byName, several: false };
  if (positional.length === 1) return { value: positional[0]!, several: false };
  return {
    value: new ChoiceSweep(
      positional.map((item) => plain(item, 'a sweep')),
      true,
    ),
    several: true,
  };
}

function taggedAs<Result extends { readonly tags: Set<string> }>(original: Result, made: Result): Result {
  for (const tag of original.tags) made.tags.add(tag);
  return made;
}

function shuffle(call: Call): OverrideValue {
  onlyNamed(call.named, ['sweep', 'list']);
  const { value } = ordered(call);
  if (value instanceof ChoiceSweep) return taggedAs(value, new ChoiceSweep(value.items, value.simple, true));
  if (value instanceof RangeSweep) return taggedAs(value, new RangeSweep(value.start, value.stop, value.step, true));
  if (Array.isArray(value)) return shuffled(value, JSON.stringify(value.map(jsonText)));
  return [plain(value, 'shuffle')];
}

function sort(call: Call): OverrideValue {
  onlyNamed(call.named, ['sweep', 'list', 'reverse']);
  const reverse = call.named.get('reverse') ?? false;
  if (typeof reverse !== 'boolean') throw new CallError(`'reverse' must be true or false`);
  if (call.positional.length === 0 && call.named.size === (call.named.has('reverse') ? 1 : 0))
    throw new CallError('needs something to sort');
  const { value, several } = ordered(call);
  if (value instanceof ChoiceSweep) {
    if (several && value.items.some((item) => item === null || (typeof item === 'object' && !(item instanceof Float))))
      throw new CallError('sorts words or numbers');
    return taggedAs(value, new ChoiceSweep(sorted(value.items, reverse), value.simple, value.shuffle));
  }
  if (value instanceof RangeSweep) return isNegative(value.step) === reverse ? value : reversedRange(value);
  if (Array.isArray(value)) return sorted(value, reverse);
  return plain(value, 'sort');
}

function sorted(items: readonly Element[], reverse: boolean): Element[] {
  const ascending = [...items].sort(compare);
  if (items.length === 1) return ascending;
  return reverse ? [...items].sort((a, b) => compare(b, a)) : ascending;
}

function compare(a: Element, b: Element): number {
  const left = typeof a === 'boolean' ? Number(a) : a instanceof Float ? a.value : a;
  const right = typeof b === 'boolean' ? Number(b) : b instanceof Float ? b.value : b;
  const numeric = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let i = 0; i < Math.min(left.length, right.length); i++) {
      const order = compare(left[i]!, right[i]!);
      if (order !== 0) return order;
    }
    return left.length - right.length;
  }
  if (!(numeric(left) && numeric(right)) && !(typeof left === 'string' && typeof right === 'string')) {
    throw new CallError('only numbers sort with numbers and unquoted words with words');
  }
  return left! < right! ? -1 : left! > right! ? 1 : 0;
}

/** Shuffles by Fisher–Yates, seeded by the text, so that the same command line always gives the same order, unlike Hydra. */
export function shuffled<Item>(items: readonly Item[], seed: string): Item[] {
  let state = 2166136261; // the offset basis of the 32-bit hash FNV-1a
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 16777619);
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    state = (state + 0x6d2b79f5) | 0; // the next state of the generator mulberry32
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    const other = ((bits ^ (bits >>> 14)) >>> 0) % (i + 1);
    [result[i], result[other]] = [result[other]!, result[i]!];
  }
  return result;
}
