// One job of the command line: the task that its config names, with the terminal and the signals it may use.
import type { JobContext } from '@bowyer/config';
import { schemaOf } from './config/units.js';
import { openTerminal } from './terminal.js';
import { runTask } from './run-task.js';

export async function job(context: JobContext): Promise<void> {
  const { composition, outputDirectory } = context;
  const config = composition.resolve();
  const { log, print, progress, close } = openTerminal(context, { quiet: config.quiet, json: config.json });
  let interrupt: { stop: () => void; announcement?: string } | null = null;
  let asked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked || interrupt === null) return endAtOnce(signal);
    asked = true;
    const { stop, announcement } = interrupt;
    if (announcement !== undefined) log(`${announcement}; again to leave immediately`, 'WARNING');
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
    await runTask(config, schemaOf(composition), {
      directory: outputDirectory,
      configYaml: composition.yaml,
      ...{ log, print, progress },
      onInterrupt: (stop, announcement) => (interrupt = stop && { stop, announcement }),
    });
  } finally {
    close();
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
