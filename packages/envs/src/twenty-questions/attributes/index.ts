// The attribute table: every row of the five themes, made ready for use.
import { appearanceAttributes } from './appearance.js';
import { makeAttribute, type Attribute } from './attribute.js';
import { commonAttributes } from './common.js';
import { everydayAttributes } from './everyday.js';
import { foodAttributes } from './food.js';
import { livingAttributes } from './living.js';
import { thingAttributes } from './things.js';

export const allAttributes: readonly Attribute[] = [
  ...livingAttributes,
  ...foodAttributes,
  ...appearanceAttributes,
  ...thingAttributes,
  ...everydayAttributes,
  ...commonAttributes,
].map(makeAttribute);
