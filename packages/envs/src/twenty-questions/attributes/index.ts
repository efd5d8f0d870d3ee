// The attribute table: the rows of every theme, made ready for use.
import { makeAttribute, type Attribute } from './attribute.js';
import { livingAttributes } from './living.js';
import { foodAttributes } from './food.js';
import { appearanceAttributes } from './appearance.js';
import { sportsAttributes } from './sports.js';
import { vehicleAttributes } from './vehicles.js';
import { electronicsAttributes } from './electronics.js';
import { instrumentAttributes } from './instruments.js';
import { furnitureAttributes } from './furniture.js';
import { artAndToyAttributes } from './art-and-toys.js';
import { toolAttributes } from './tools.js';
import { wornAttributes } from './worn.js';
import { kitchenAttributes } from './kitchen.js';
import { officeAttributes } from './office.js';
import { whereaboutsAttributes } from './whereabouts.js';
import { commonAttributes } from './common.js';

export const allAttributes: readonly Attribute[] = [
  ...livingAttributes,
  ...foodAttributes,
  ...appearanceAttributes,
  ...sportsAttributes,
  ...vehicleAttributes,
  ...electronicsAttributes,
  ...instrumentAttributes,
  ...furnitureAttributes,
  ...artAndToyAttributes,
  ...toolAttributes,
  ...wornAttributes,
  ...kitchenAttributes,
  ...officeAttributes,
  ...whereaboutsAttributes,
  ...commonAttributes,
].map(makeAttribute);
