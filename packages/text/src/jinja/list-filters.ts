// Implements Jinja's filters of lists and dicts. Filters that return generators in Jinja (map, select, unique, batch, slice)
// return one here too: it is true even if empty, and can be read only once.
import type { CallArguments } from './call-arguments.js';
import type { Filter, Named } from './filter.js';
import { arithmetic } from './arithmetic.js';
import { itemOf, entriesOf } from './members.js';
import { joinedBy, textOf } from './printing.js';
import { TemplateError } from './template-error.js';
import {
  compare,
  equals,
  Generator,
  isTrue,
  iterate,
  lengthOf,
  stringOf,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from './values.js';
import { spendItems } from './work.js';

export const listFilters: Record<string, readonly [names: string, apply: Filter]> = {
  batch: ['linecount fill_with', batches],
  dictsort: ['case_sensitive by reverse', sortedDict],
  first: ['', (value) => at(iterate(value), 0)],
  groupby: ['attribute default case_sensitive', grouped],
  items: [
    '',
    (value) =>
      new Generator(value instanceof Undefined ? [] : value instanceof Map ? entriesOf(value) : fail('items', value)),
  ],
  join: ['d attribute', joined],
  last: ['', (value) => at(iterate(value), -1)],
  length: ['', lengthOf],
  list: ['', (value) => [...iterate(value)]],
  map: ['', mapped],
  max: ['case_sensitive attribute', (value, args) => extreme(value, args, 1)],
  min: ['case_sensitive attribute', (value, args) => extreme(value, args, -1)],
  reject: ['', (value, args, named) => selected(value, args, named, false)],
  rejectattr: ['', (value, args, named) => selectedByAttribute(value, args, named, false)],
  reverse: [
    '',
    (value) =>
      typeof value === 'string' ? Array.from(value).reverse().join('') : new Generator([...iterate(value)].reverse()),
  ],
  select: ['', (value, args, named) => selected(value, args, named, true)],
  selectattr: ['', (value, args, named) => selectedByAttribute(value, args, named, true)],
  slice: ['slices fill_with', slices],
  sort: ['reverse case_sensitive attribute', sorted],
  sum: [
    'attribute start',
    (value, args) =>
      iterate(value)
        .map(getter(args.or('attribute', null)))
        .reduce((sum, item) => arithmetic('+', sum, item), args.or('start', 0)),
  ],
  unique: ['case_sensitive attribute', unique],
};

function fail(filter: string, value: Value): never {
  throw new TemplateError(`the filter ${filter} does not apply to ${typeName(value)}`);
}

function at(items: readonly Value[], index: number): Value {
  const item = items.at(index);
  return item === undefined ? new Undefined('the list is empty') : item;
}

/** Looks up an attribute such as `function.name` or the index `0`; the value itself if `attribute` is null. */
function getter(attribute: Value, otherwise?: Value): (value: Value) => Value {
  if (attribute === null) return (value) => value;
  const path = typeof attribute === 'number' ? [attribute] : stringOf(attribute, 'attribute').split('.');
  return (value) => {
    for (const part of path) {
      value = itemOf(value, typeof part === 'string' && /^\d+$/.test(part) ? Number(part) : part);
      if (value instanceof Undefined && otherwise !== undefined) return otherwise;
    }
    return value;
  };
}

/** Texts are compared without case unless `case_sensitive` is set. */
function keyOf(args: CallArguments): (value: Value) => Value {
  const attribute = args.or('attribute', null);
  const fold = args.boolean('case_sensitive', false) ? (value: Value) => value : folded;
  if (typeof attribute === 'string' && attribute.includes(',')) {
    const getters = attribute.split(',').map((each) => getter(each));
    return (value) => new Tuple(getters.map((get) => fold(get(value))));
  }
  const get = getter(attribute);
  return (value) => fold(get(value));
}

const folded = (value: Value): Value => (typeof value === 'string' ? value.toLowerCase() : value);

function sorted(value: Value, args: CallArguments): Value {
  const key = keyOf(args);
  const direction = args.boolean('reverse', false) ? -1 : 1;
  return iterate(value)
    .map((item) => ({ item, key: [key(item)] }))
    .sort((a, b) => direction * compare(a.key, b.key))
    .map(({ item }) => item);
}

function sortedDict(value: Value, args: CallArguments): Value {
  if (!(value instanceof Map)) return fail('dictsort', value);
  const by = args.string('by', 'key');
  if (by !== 'key' && by !== 'value') throw new TemplateError("dictsort: by must be 'key' or 'value'");
  const fold = args.boolean('case_sensitive', false) ? (item: Value) => item : folded;
  const direction = args.boolean('reverse', false) ? -1 : 1;
  const key = (entry: Tuple) => fold(entry.items[by === 'key' ? 0 : 1]);
  return entriesOf(value).sort((a, b) => direction * compare(key(a), key(b)));
}

function grouped(value: Value, args: CallArguments): Value {
  const get = getter(args.required('attribute'), args.has('default') ? args.value('default') : undefined);
  const fold = args.boolean('case_sensitive', false) ? (item: Value) => item : folded;
  const groups: { key: Value; items: Value[] }[] = [];
  const items = iterate(value).map((item) => ({ item, key: fold(get(item)) }));
  for (const { item, key } of items.sort((a, b) => compare(a.key, b.key))) {
    if (groups.length === 0 || !equals(groups.at(-1)!.key, key)) groups.push({ key, items: [] });
    groups.at(-1)!.items.push(item);
  }
  // The name of a group is the attribute of its first item as it is written there, although items are grouped without case.
  return groups.map(({ items: members }) => new Tuple([get(members[0]), members]));
}

function joined(value: Value, args: CallArguments): Value {
  const get = getter(args.or('attribute', null));
  return joinedBy(
    iterate(value).map((item) => textOf(get(item))),
    textOf(args.or('d', '')),
  );
}

function extreme(value: Value, args: CallArguments, direction: 1 | -1): Value {
  const items = iterate(value);
  const key = keyOf(args);
  if (items.length === 0) return new Undefined('the list is empty');
  return items.reduce((best, item) => (direction * compare(key(item), key(best)) > 0 ? item : best));
}

function unique(value: Value, args: CallArguments): Value {
  const key = keyOf(args);
  const seen: Value[] = [];
  const items = iterate(value).filter((item) => {
    const itemKey = key(item);
    if (seen.some((one) => equals(one, itemKey))) return false;
    seen.push(itemKey);
    return true;
  });
  return new Generator(items);
}

/** Lists the items of a value. Filters such as `map` and `select` treat any false value as an empty list. */
const itemsIn = (value: Value): readonly Value[] => (isTrue(value) ? iterate(value) : []);

function mapped(value: Value, args: CallArguments, { filter }: Named): Value {
  const items = itemsIn(value);
  if (args.positional.length === 0 && args.has('attribute'))
    return new Generator(items.map(getter(args.value('attribute')!, args.value('default'))));
  const [name, ...rest] = args.positional;
  const called = stringOf(name ?? null, 'map: the filter');
  return new Generator(items.map((item) => filter(called, item, rest, new Map())));
}

function selected(value: Value, { positional: [name, ...rest] }: CallArguments, named: Named, wanted: boolean): Value {
  return new Generator(itemsIn(value).filter((item) => passes(item, name, rest, named) === wanted));
}

function selectedByAttribute(value: Value, args: CallArguments, named: Named, wanted: boolean): Value {
  const [attribute, name, ...rest] = args.positional;
  if (attribute === undefined) throw new TemplateError('selectattr and rejectattr need an attribute');
  const get = getter(attribute);
  return new Generator(itemsIn(value).filter((item) => passes(get(item), name, rest, named) === wanted));
}

const passes = (item: Value, name: Value | undefined, rest: readonly Value[], { test }: Named): boolean =>
  name === undefined ? isTrue(item) : test(stringOf(name, 'a test'), item, rest);

function batches(value: Value, args: CallArguments): Value {
  const items = iterate(value);
  const [size, fill] = [args.integer('linecount'), args.or('fill_with', null)];
  if (size < 1) throw new TemplateError(`batch: linecount must be at least 1, not ${size}`);
  if (fill !== null) spendItems(size);
  const rows: Value[] = [];
  for (let i = 0; i < items.length; i += size) {
    const row = items.slice(i, i + size);
    rows.push(fill === null ? row : [...row, ...Array.from({ length: size - row.length }, () => fill)]);
  }
  return new Generator(rows);
}

function slices(value: Value, args: CallArguments): Value {
  const items = iterate(value);
  const [count, fill] = [args.integer('slices'), args.or('fill_with', null)];
  if (count < 1) throw new TemplateError(`slice: slices must be at least 1, not ${count}`);
  spendItems(count);
  const [size, extra] = [Math.floor(items.length / count), items.length % count];
  const columns = Array.from({ length: count }, (_, i): Value => {
    const start = i * size + Math.min(i, extra);
    const column = items.slice(start, start + size + (i < extra ? 1 : 0));
    return fill !== null && i >= extra ? [...column, fill] : column;
  });
  return new Generator(columns);
}
