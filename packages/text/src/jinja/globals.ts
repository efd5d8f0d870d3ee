// Implements the functions that a Jinja template can call: Jinja's own, and transformers' `raise_exception` and `strftime_now`.
import { textOf } from './printing.js';
import { TemplateError } from './template-error.js';
import { Attributes, Callable, integerOf, iterate, type Value } from './values.js';
import { spendItems } from './work.js';

const LONGEST_RANGE = 100_000;

/** Makes the functions that every template can call. `now`: the time for `strftime_now`. */
export function globalFunctions(now: () => Date): Record<string, Value> {
  return {
    range: new Callable('range', range),
    dict: new Callable('dict', ([first], named) => new Map<Value, Value>([...entries(first), ...named])),
    namespace: new Callable(
      'namespace',
      ([first], named) =>
        new Attributes(
          new Map([...entries(first).map(([key, value]) => [textOf(key), value] as const), ...named]),
          true,
        ),
    ),
    joiner: new Callable('joiner', ([separator = ', '], named) => joiner(named.get('sep') ?? separator)),
    cycler: new Callable('cycler', (items) => cycler(items)),
    raise_exception: new Callable('raise_exception', ([message = '']) => {
      throw new TemplateError(textOf(message));
    }),
    strftime_now: new Callable('strftime_now', ([format = '']) => formatted(textOf(format), now())),
  };
}

/** Makes a function that returns the empty text on its first call and the separator on later calls. */
function joiner(separator: Value): Value {
  let isFirst = true;
  return new Callable('joiner', () => {
    if (!isFirst) return separator;
    isFirst = false;
    return '';
  });
}

/** Makes an object whose `next()` returns the items in turn, cyclically. */
function cycler(items: readonly Value[]): Value {
  if (items.length === 0) throw new TemplateError('cycler needs at least one item');
  let at = 0;
  const attributes = new Map<string, Value>();
  const goTo = (index: number): null => {
    at = index % items.length;
    attributes.set('current', items[at]);
    return null;
  };
  attributes.set(
    'next',
    new Callable('cycler.next', () => {
      const item = items[at];
      goTo(at + 1);
      return item;
    }),
  );
  attributes.set('reset', new Callable('cycler.reset', () => goTo(0)));
  goTo(0);
  return new Attributes(attributes, false);
}

function entries(source: Value | undefined): [Value, Value][] {
  if (source === undefined) return [];
  if (source instanceof Map) {
    spendItems(source.size);
    return [...source];
  }
  return iterate(source).map((pair) => {
    const [key, value, ...more] = iterate(pair);
    if (value === undefined || more.length > 0)
      throw new TemplateError('dict and namespace need pairs of a key and a value');
    return [key, value];
  });
}

function range(args: readonly Value[]): Value {
  const bounds = args.map((arg) => integerOf(arg, 'range'));
  const [start, stop, step = 1] = bounds.length === 1 ? [0, bounds[0]] : bounds;
  if (step === 0 || bounds.length === 0 || bounds.length > 3)
    throw new TemplateError('range needs 1 to 3 integers and a step that is not 0');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > LONGEST_RANGE) throw new TemplateError(`range: more than ${LONGEST_RANGE} numbers`);
  spendItems(length);
  return Array.from({ length }, (_, i) => start + i * step);
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const two = (number: number, fill = '0') => String(number).padStart(2, fill);

const LONGEST_TIME_FORMAT = 1000;

function formatted(format: string, at: Date): string {
  if (format.length > LONGEST_TIME_FORMAT)
    throw new TemplateError(
      `strftime_now: a format has at most ${LONGEST_TIME_FORMAT} characters, not ${format.length}`,
    );
  return strftime(format, at);
}

/** Formats local time like C's strftime, in English. @throws {TemplateError} for an unknown directive */
function strftime(format: string, at: Date): string {
  const hour12 = at.getHours() % 12 || 12;
  const midnight = (month: number, day: number) => Date.UTC(at.getFullYear(), month, day);
  const dayOfYear = 1 + (midnight(at.getMonth(), at.getDate()) - midnight(0, 1)) / 86_400_000;
  const fields: Record<string, () => string> = {
    Y: () => String(at.getFullYear()),
    y: () => two(at.getFullYear() % 100),
    m: () => two(at.getMonth() + 1),
    d: () => two(at.getDate()),
    e: () => two(at.getDate(), ' '),
    H: () => two(at.getHours()),
    I: () => two(hour12),
    M: () => two(at.getMinutes()),
    S: () => two(at.getSeconds()),
    f: () => `${String(at.getMilliseconds()).padStart(3, '0')}000`,
    p: () => (at.getHours() < 12 ? 'AM' : 'PM'),
    A: () => DAYS[at.getDay()],
    a: () => DAYS[at.getDay()].slice(0, 3),
    B: () => MONTHS[at.getMonth()],
    b: () => MONTHS[at.getMonth()].slice(0, 3),
    h: () => MONTHS[at.getMonth()].slice(0, 3),
    j: () => String(dayOfYear).padStart(3, '0'),
    w: () => String(at.getDay()),
    u: () => String(at.getDay() || 7),
    D: () => strftime('%m/%d/%y', at),
    F: () => strftime('%Y-%m-%d', at),
    T: () => strftime('%H:%M:%S', at),
    R: () => strftime('%H:%M', at),
    c: () => strftime('%a %b %e %H:%M:%S %Y', at),
    x: () => strftime('%m/%d/%y', at),
    X: () => strftime('%H:%M:%S', at),
    Z: () => '',
    z: () => '',
    n: () => '\n',
    t: () => '\t',
    '%': () => '%',
  };
  return format.replace(/%(-?)([^]|$)/g, (whole, bare: string, field: string) => {
    if (!Object.hasOwn(fields, field)) throw new TemplateError(`strftime_now does not know ${JSON.stringify(whole)}`);
    return bare === '' ? fields[field]() : fields[field]().replace(/^[0 ]+(?=.)/, '');
  });
}
