import type { Family } from './family.js';
import { families } from './families/index.js';
import { ownFamilies } from './own-families/index.js';

export const allFamilies: Readonly<Record<string, Family>> = { ...families, ...ownFamilies };
