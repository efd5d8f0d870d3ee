// Decides which values of a composed config were written by the user and not in Bowyer's own config files.
import { basename, relative, sep } from 'node:path';
import type { OriginRecord } from '@bowyer/config';
import { IMPLIED } from './implied-rule.js';

/**
 * Returns whether a value comes from a config file of the user. Values from Bowyer's own files are not refused if the run does
 * not read them.
 */
export function isOfUser(origin: OriginRecord | undefined, shipped: readonly string[]): boolean {
  if (origin === undefined || origin.source.startsWith(IMPLIED)) return false;
  const folder = shipped.find((one) => origin.source.startsWith(one + sep));
  if (folder === undefined) return true;
  return isExperiment(relative(folder, origin.source), folder);
}

/**
 * Returns whether a config describes a sweep, chosen by `+experiment=`: a file in the folder `experiments`, or in a folder
 * `experiment` below it.
 */
const isExperiment = (config: string, folder: string): boolean =>
  /(^|\/)experiment\//.test(config) || (basename(folder) === 'experiments' && !config.includes('/'));
