// The flat names of version 0.2, of ArCHer and of AgentGym for options that stand in nodes. configs/flat-names.json has them, written by
// `npm run option-files` from the schemas, so that a command line does not load all units to read them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlatNames } from '@bowyer/config';

export const FLAT_NAMES = 'flat-names.json';

/** Reads the table of flat names. @param configs folder of the program's configs */
export const flatNamesIn = (configs: string): FlatNames =>
  JSON.parse(readFileSync(join(configs, FLAT_NAMES), 'utf8')) as FlatNames;
