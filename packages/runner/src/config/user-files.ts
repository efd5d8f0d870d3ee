// Decides which values of a composed config the user has given.
import { basename, relative, sep } from 'node:path';
import type { OriginRecord } from '@bowyer/config';
import { IMPLIED } from './implied-rule.js';

/** Returns whether a value comes from a file of the user. The program's own configs may have options of units that are not chosen. */
export function isOfUser(origin: OriginRecord | undefined, shipped: readonly string[]): boolean {
  if (origin === undefined || origin.source.startsWith(IMPLIED)) return false;
  const folder = shipped.find((one) => origin.source.startsWith(one + sep));
  if (folder === undefined) return true;
  return isExperiment(relative(folder, origin.source), folder);
}

/** Returns whether a config is a sweep for `+experiment=`: a file in `experiments`, or in the folder `experiment` of a study. */
const isExperiment = (config: string, folder: string): boolean =>
  /(^|\/)experiment\//.test(config) || (basename(folder) === 'experiments' && !config.includes('/'));
