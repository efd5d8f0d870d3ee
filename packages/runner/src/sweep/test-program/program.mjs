// A command-line program for tests, in a separate process.
import { runCommandLine } from '@bowyer/config';
import { isStale } from '../../../bin/is-stale.js';
import { programOptions } from './options.mjs';

// The build starts in half the time.
const { launchSweep } = await import(isStale() ? '../launch-sweep.ts' : '../../../dist/sweep/launch-sweep.js');

process.exitCode = await runCommandLine({ argv: process.argv.slice(2), ...programOptions(launchSweep) });
