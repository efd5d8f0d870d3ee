// Makes the content of the TextWorldExpress games (foods, household objects and their places) that is part of the package and is
// used if the option `contentDir` is not set.
import { lazy } from '../../data-file.js';
import { makeContent } from './content.js';
import { foodFile } from './foods.js';
import { objectFile } from './objects.js';

export const builtInContent = lazy(() => makeContent(foodFile(), objectFile(), false));
