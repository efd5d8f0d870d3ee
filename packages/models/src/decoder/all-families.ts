import type { Family } from './family.js';
import { families } from './families/index.js';
import { ownFamilies } from './own-families/index.js';

/** The published and the own families of decoders by `model_type`. */
export const allFamilies: Readonly<Record<string, Family>> = { ...families, ...ownFamilies };
