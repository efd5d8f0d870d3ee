import type { CommandLine } from '@bowyer/config';
import type { launchSweep } from '../launch-sweep.js';

/** All but the words, of a program with a command line. */
export function programOptions(launch: typeof launchSweep): Omit<CommandLine, 'argv'>;
