// One job of the command line: the task that its config names, with the terminal and the signals it may use.
import type { JobContext } from '@bowyer/config';
import { schemaOf } from './config/units.js';
import { runTask } from './run-task.js';

export async function job({ composition, outputDirectory, log, stdout, stderr }: JobContext): Promise<void> {
  let interrupt: { stop: () => void; announcement?: string } | null = null;
  let asked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked || interrupt === null) return endAtOnce(signal);
    asked = true;
    reportStop();
    const { stop, announcement } = interrupt;
    if (announcement !== undefined) log('WARNING', `${announcement}; again to leave immediately`, 'run');
    stop();
  };
  const endAtOnce = (signal: NodeJS.Signals) => {
    // What removes temporary files. process.exit would do it too, but it ends threads that compute in native code, which abort.
    process.emit('exit', process.exitCode as number);
    process.off(signal, onSignal);
    process.kill(process.pid, signal); // nobody handles it any more: the system ends the process
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    await runTask(composition.resolve(), schemaOf(composition), {
      directory: outputDirectory,
      configYaml: composition.yaml,
      log: (message, level = 'INFO') => log(level, message, 'run'),
      print: (text) => void stdout.write(text),
      progress: stderr,
      onInterrupt: (stop, announcement) => (interrupt = stop && { stop, announcement }),
    });
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

/** Where BOWYER_STOPPED_EXIT_CODE is set, as under launcher=slurm: what this process returns if it stops as asked. */
function reportStop(): void {
  const code = Number(process.env.BOWYER_STOPPED_EXIT_CODE ?? 0);
  process.once('exit', (own) => (process.exitCode = own === 0 ? code : own));
}
