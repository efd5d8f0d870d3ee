// A command-line program that tests start in a separate process to launch sweeps.
import { runCommandLine } from '@bowyer/config';
import { isStale } from '../../../bin/is-stale.js';
import { programOptions } from './options.mjs';

// The compiled module is used unless it is outdated, since it starts in half the time.
const { launchSweep } = await import(isStale() ? '../launch-sweep.ts' : '../../../dist/sweep/launch-sweep.js');

process.exitCode = await runCommandLine({ argv: process.argv.slice(2), ...programOptions(launchSweep) });
