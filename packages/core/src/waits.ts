// Reports long waits: a line says what waits for what and since when, so that nothing hangs silently.

/** The time until the first line, in milliseconds; each further line comes after twice the time. */
const FIRST_MS = 30_000;
/** The time between two checks of the pending waits, in milliseconds. */
const LOOK_MS = 1_000;
const NAMED = 3;

interface Wait {
  /** Describes the wait, as in 'the run waits for maze: step 3'. */
  what: () => string;
  since: number;
  next: number;
}

export interface WaitReports {
  report: (line: string) => void;
  firstMs: number;
}

let reports: WaitReports = { report: (line) => void process.stderr.write(`${line}\n`), firstMs: FIRST_MS };
const waits = new Set<Wait>();
let timer: NodeJS.Timeout | null = null;

/** Sets the receivers of lines about waits (default: standard error); returns a function that restores the previous ones. */
export function reportWaits(to: Partial<WaitReports>): () => void {
  const before = reports;
  reports = { ...reports, ...to };
  restart();
  return () => {
    reports = before;
    restart();
  };
}

/** Waits for the work and keeps the process alive meanwhile; otherwise a promise that never settles would end the process silently. */
export async function waitingFor<T>(what: () => string, work: () => Promise<T> | T): Promise<T> {
  const wait = { what, since: performance.now(), next: reports.firstMs };
  waits.add(wait);
  (timer ?? restart()).ref();
  try {
    return await work();
  } finally {
    waits.delete(wait);
    if (waits.size === 0) timer?.unref();
  }
}

function restart(): NodeJS.Timeout {
  if (timer !== null) clearInterval(timer);
  timer = setInterval(look, Math.min(LOOK_MS, reports.firstMs / 4));
  return waits.size === 0 ? timer.unref() : timer;
}

/** Reports one line for all waits that are due or almost due, the longest first. */
function look(): void {
  const now = performance.now();
  const due = (share: number) => [...waits].filter(({ since, next }) => now - since >= share * next);
  if (due(1).length === 0) return;
  const listed = due(0.5).sort((a, b) => a.since - b.since);
  const named = listed.slice(0, NAMED).map(({ what, since }) => `${what()}, for ${Math.round((now - since) / 1000)} s`);
  const more = listed.length > NAMED ? [`and ${listed.length - NAMED} more`] : [];
  for (const wait of listed) wait.next = Math.max(2 * wait.next, 2 * (now - wait.since));
  reports.report([...named, ...more].join('; '));
}

/** Reports a line about work that does not end, to the same receiver as lines about waits. */
export const reportWait = (line: string): void => reports.report(line);
