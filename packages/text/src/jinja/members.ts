// Reads the members of values in Jinja templates. As in Jinja, a dot looks for a method before a key, brackets for a key before a
// method, and a missing member is undefined. As in transformers' sandbox, methods that change a list or a dict are refused.
import { repr } from './printing.js';
import { stringMethod } from './strings.js';
import { TemplateError } from './template-error.js';
import {
  Attributes,
  Callable,
  equals,
  integerOf,
  iterate,
  Tuple,
  typeName,
  Undefined,
  View,
  type Dict,
  type Value,
} from './values.js';
import { spendItems } from './work.js';

const CHANGING: Record<string, readonly string[]> = {
  list: ['append', 'clear', 'extend', 'insert', 'pop', 'remove', 'reverse', 'sort'],
  dict: ['clear', 'pop', 'popitem', 'setdefault', 'update'],
};

export function attributeOf(value: Value, name: string): Value {
  refuseUndefined(value, name);
  const [own, item] = [ownAttribute(value, name), itemOrUndefined(value, name)];
  if (own !== undefined) return own;
  return item === undefined ? new Undefined(`${typeName(value)} has no attribute '${name}'`) : item;
}

export function itemOf(value: Value, key: Value): Value {
  refuseUndefined(value, typeof key === 'string' ? key : repr(key));
  const item = itemOrUndefined(value, key);
  if (item !== undefined) return item;
  const own = typeof key === 'string' ? ownAttribute(value, key) : undefined;
  return own === undefined ? new Undefined(`${typeName(value)} has no element ${repr(key)}`) : own;
}

function refuseUndefined(value: Value, name: string): void {
  if (value instanceof Undefined)
    throw new TemplateError(`cannot read '${name}' of what is not there: ${value.problem}`);
}

function ownAttribute(value: Value, name: string): Value | undefined {
  const method = boundMethod(value, name);
  if (method !== undefined) return new Callable(`${typeName(value)}.${name}`, method);
  if (value instanceof Attributes) return value.values.get(name);
  const kind = typeName(value);
  if (!Object.hasOwn(CHANGING, kind) || !CHANGING[kind].includes(name)) return undefined;
  return new Callable(name, () => {
    throw new TemplateError(`${kind}.${name} would change a value that the template was given, which is not allowed`);
  });
}

function boundMethod(value: Value, name: string): Callable['call'] | undefined {
  if (typeof value === 'string') return stringMethod(value, name);
  if (value instanceof Map) return dictMethod(value, name);
  if (Array.isArray(value) || value instanceof Tuple)
    return listMethod(value instanceof Tuple ? value.items : value, name);
  return undefined;
}

function dictMethod(dict: Dict, name: string): Callable['call'] | undefined {
  switch (name) {
    case 'get':
      return ([key, otherwise = null]) => dict.get(key) ?? (dict.has(key) ? null : otherwise);
    case 'keys':
      return () =>
        new View(
          'dict_keys',
          itemsOf(dict, ([key]) => key),
        );
    case 'values':
      return () =>
        new View(
          'dict_values',
          itemsOf(dict, ([, value]) => value),
        );
    case 'items':
      return () => new View('dict_items', entriesOf(dict));
    case 'copy':
      return () => new Map(itemsOf(dict, (entry) => entry));
    default:
      return undefined;
  }
}

function itemsOf<Item>(dict: Dict, of: (entry: [Value, Value]) => Item): Item[] {
  spendItems(dict.size);
  return [...dict].map(of);
}

export const entriesOf = (dict: Dict): Tuple[] => itemsOf(dict, (entry) => new Tuple(entry));

function listMethod(items: readonly Value[], name: string): Callable['call'] | undefined {
  switch (name) {
    case 'index':
      return ([value]) => {
        const at = items.findIndex((item) => equals(item, value));
        if (at < 0) throw new TemplateError(`${repr(value)} is not in the list`);
        return at;
      };
    case 'count':
      return ([value]) => items.filter((item) => equals(item, value)).length;
    case 'copy':
      return () => {
        spendItems(items.length);
        return [...items];
      };
    default:
      return undefined;
  }
}

function itemOrUndefined(value: Value, key: Value): Value | undefined {
  if (value instanceof Map) return value.get(key);
  const isIndex = (typeof key === 'number' && Number.isInteger(key)) || typeof key === 'boolean';
  if (!isIndex) return undefined;
  if (typeof value === 'string') return characterAt(value, Number(key));
  if (value instanceof Tuple) return value.items.at(Number(key));
  return Array.isArray(value) ? value.at(Number(key)) : undefined;
}

/** By code points. Only the text up to the index is read: from the beginning or, if it is negative, from the end. */
function characterAt(text: string, at: number): string | undefined {
  const part = at < 0 ? text.slice(2 * at) : text.slice(0, 2 * (at + 1));
  return (iterate(part) as readonly string[]).at(at);
}

const isSequence = (value: Value): boolean =>
  typeof value === 'string' || Array.isArray(value) || value instanceof Tuple;

/** The slice `value[start:stop:step]` of a text, list or tuple. `step` null: 1. */
export function sliceOf(value: Value, start: Value, stop: Value, step: Value): Value {
  refuseUndefined(value, 'a slice');
  if (!isSequence(value)) throw new TemplateError(`${typeName(value)} cannot be sliced`);
  const by = step === null ? 1 : integerOf(step, 'the step of a slice');
  if (by === 0) throw new TemplateError('the step of a slice must not be zero');
  const items = iterate(value);
  const { length } = items;
  const place = (bound: Value, otherwise: number) => {
    if (bound === null) return otherwise;
    const at = integerOf(bound, 'the bound of a slice');
    const [low, high] = by > 0 ? [0, length] : [-1, length - 1];
    return Math.min(Math.max(at < 0 ? at + length : at, low), high);
  };
  const chosen: Value[] = [];
  const [from, to] = [place(start, by > 0 ? 0 : length - 1), place(stop, by > 0 ? length : -1)];
  for (let i = from; by > 0 ? i < to : i > to; i += by) chosen.push(items[i]);
  if (typeof value === 'string') return chosen.join('');
  return value instanceof Tuple ? new Tuple(chosen) : chosen;
}
