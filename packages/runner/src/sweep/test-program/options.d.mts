import type { CommandLine } from '@bowyer/config';
import type { launchSweep } from '../launch-sweep.js';

/** Returns the command line of the test program without its arguments. */
export function programOptions(launch: typeof launchSweep): Omit<CommandLine, 'argv'>;
