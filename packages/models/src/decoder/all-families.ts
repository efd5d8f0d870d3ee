import type { Family } from './family.js';
import { families } from './families/index.js';
import { ownFamilies } from './own-families/index.js';

/** All families of decoders by `model_type`: the published ones, and those that exist only in this repository. */
export const allFamilies: Readonly<Record<string, Family>> = { ...families, ...ownFamilies };
