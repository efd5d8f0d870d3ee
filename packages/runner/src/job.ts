// One job of the command line: the task that its config names, with the terminal and the signals it may use.
import type { JobContext } from '@bowyer/config';
import { schemaOf, taskOf } from './config/units.js';
import type { Leader } from './ranks/leader.js';
import { decisiveOf, runPrepared } from './run-task.js';
import { withSignals } from './signals.js';
import type { TaskContext } from './tasks/task.js';

/** @param leader of several processes, which run the task together */
export async function job(context: JobContext, leader: Leader | null): Promise<void> {
  const { composition, outputDirectory, stdout, stderr } = context;
  const config = composition.resolve();
  const decisive = decisiveOf(config, schemaOf(composition));
  const common = { directory: outputDirectory, configYaml: composition.yaml };
  if (leader !== null) {
    if (!taskOf(composition)!.sharesRanks)
      leader.refuse(`task=${String(config.task)}`, 'start it without them; task=train is what several processes share');
    await leader.announce({ ...common, config, decisive, plugins: (config.plugins ?? []) as string[] });
  }
  const log: TaskContext['log'] = (message, level = 'INFO') => context.log(level, message, 'run');
  await withSignals(log, (onInterrupt) =>
    runPrepared(config, decisive, {
      ...common,
      ...{ log, onInterrupt, progress: stderr, ranks: leader?.ranks },
      print: (text) => void stdout.write(text),
    }),
  );
}
