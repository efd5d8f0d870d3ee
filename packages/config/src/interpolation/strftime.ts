// Formats times like C's strftime, for `${now:%Y-%m-%d}`, names of job folders, and log lines.
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
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

const two = (value: number) => String(value).padStart(2, '0');

function dayOfYear(time: Date): number {
  const start = Date.UTC(time.getFullYear(), 0, 1);
  return (Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) - start) / 86_400_000 + 1;
}

/** Computes the ISO 8601 week and its year. */
function isoWeek(time: Date): { year: number; week: number } {
  const thursday = new Date(
    Date.UTC(time.getFullYear(), time.getMonth(), time.getDate() - ((time.getDay() + 6) % 7) + 3),
  );
  const year = thursday.getUTCFullYear();
  return { year, week: Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / 86_400_000 / 7) + 1 };
}

function zone(time: Date): string {
  const offset = -time.getTimezoneOffset();
  const size = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${two(size % 60)}`;
}

const directives: Record<string, (time: Date) => string> = {
  a: (time) => days[time.getDay()]!.slice(0, 3),
  A: (time) => days[time.getDay()]!,
  b: (time) => months[time.getMonth()]!.slice(0, 3),
  B: (time) => months[time.getMonth()]!,
  c: (time) => strftime(time, '%a %b %e %H:%M:%S %Y'),
  C: (time) => two(Math.floor(time.getFullYear() / 100)),
  d: (time) => two(time.getDate()),
  D: (time) => strftime(time, '%m/%d/%y'),
  e: (time) => String(time.getDate()).padStart(2, ' '),
  f: (time) => String(time.getMilliseconds() * 1000).padStart(6, '0'),
  F: (time) => strftime(time, '%Y-%m-%d'),
  g: (time) => two(isoWeek(time).year % 100),
  G: (time) => String(isoWeek(time).year),
  h: (time) => months[time.getMonth()]!.slice(0, 3),
  H: (time) => two(time.getHours()),
  I: (time) => two(time.getHours() % 12 || 12),
  j: (time) => String(dayOfYear(time)).padStart(3, '0'),
  m: (time) => two(time.getMonth() + 1),
  M: (time) => two(time.getMinutes()),
  n: () => '\n',
  p: (time) => (time.getHours() < 12 ? 'AM' : 'PM'),
  r: (time) => strftime(time, '%I:%M:%S %p'),
  R: (time) => strftime(time, '%H:%M'),
  s: (time) => String(Math.floor(time.getTime() / 1000)),
  S: (time) => two(time.getSeconds()),
  t: () => '\t',
  T: (time) => strftime(time, '%H:%M:%S'),
  u: (time) => String(time.getDay() || 7),
  U: (time) => two(Math.floor((dayOfYear(time) + 6 - time.getDay()) / 7)),
  V: (time) => two(isoWeek(time).week),
  w: (time) => String(time.getDay()),
  W: (time) => two(Math.floor((dayOfYear(time) + 6 - ((time.getDay() + 6) % 7)) / 7)),
  x: (time) => strftime(time, '%m/%d/%y'),
  X: (time) => strftime(time, '%H:%M:%S'),
  y: (time) => two(time.getFullYear() % 100),
  Y: (time) => String(time.getFullYear()),
  z: zone,
  Z: (time) => /\(([^)]*)\)/.exec(time.toString())?.[1]?.replace(/[a-z ]/g, '') ?? '',
  '%': () => '%',
};

/** Formats a time by a format such as `%Y-%m-%d`; unknown directives are kept. */
export function strftime(time: Date, format: string): string {
  return format.replace(/%([^])/g, (whole, directive: string) => directives[directive]?.(time) ?? whole);
}
