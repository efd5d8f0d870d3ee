// Handles signals while a task runs: the first Ctrl-C, SIGTERM or SIGHUP asks the task to stop at a point from which it can be
// resumed; the second one ends the process immediately, as SIGQUIT (Ctrl-\) does.
import type { TaskContext } from './task-context.js';

/** The signals that ask a task to stop: those of Ctrl-C, of batch systems, and of a terminal that is closed or disconnected. */
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The handlers are removed when `work` ends.
 *
 * @param work gets `onInterrupt` of TaskContext, by which it registers how it stops
 */
export async function withSignals(
  log: TaskContext['log'],
  work: (onInterrupt: TaskContext['onInterrupt']) => Promise<void>,
): Promise<void> {
  let interrupt: { stop: () => void; announcement?: string } | null = null;
  let asked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked || interrupt === null || signal === 'SIGQUIT') return endAtOnce(signal);
    asked = true;
    reportStop();
    const { stop, announcement } = interrupt;
    if (announcement !== undefined) log(`${announcement}; again to leave immediately`, 'WARNING');
    stop();
  };
  const endAtOnce = (signal: NodeJS.Signals) => {
    // The listeners of `exit` remove temporary files. process.exit is not used, since it aborts threads that compute in native
    // code.
    process.emit('exit', process.exitCode as number);
    process.off(signal, onSignal);
    process.kill(process.pid, signal); // the handler is removed, so that the system ends the process
  };
  const signals = process.platform === 'win32' ? STOPS : [...STOPS, 'SIGQUIT' as const];
  for (const signal of signals) process.on(signal, onSignal);
  try {
    await work((stop, announcement) => (interrupt = stop && { stop, announcement }));
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/**
 * Makes this process exit with BOWYER_STOPPED_EXIT_CODE after it was asked to stop; launcher=slurm sets that variable to
 * recognise such an exit.
 */
function reportStop(): void {
  const code = Number(process.env.BOWYER_STOPPED_EXIT_CODE ?? 0);
  process.once('exit', (own) => (process.exitCode = own === 0 ? code : own));
}
