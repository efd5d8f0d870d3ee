// Which values of a composed config are the user's own.
import { basename, relative, sep } from 'node:path';
import type { OriginRecord } from '@bowyer/config';
import { IMPLIED } from './implied-rule.js';

/** Returns whether a file of the user gives a value: one of the program's own configs may have options for other units than the chosen ones. */
export function isOfUser(origin: OriginRecord | undefined, shipped: readonly string[]): boolean {
  if (origin === undefined || origin.source.startsWith(IMPLIED)) return false;
  const folder = shipped.find((one) => origin.source.startsWith(one + sep));
  if (folder === undefined) return true;
  return isExperiment(relative(folder, origin.source), folder);
}

/** Returns whether a config is a sweep, which `+experiment=` asks for: a file in `experiments`, or in a study's folder `experiment`. */
const isExperiment = (config: string, folder: string): boolean =>
  /(^|\/)experiment\//.test(config) || (basename(folder) === 'experiments' && !config.includes('/'));
