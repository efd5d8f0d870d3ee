// Makes the built-in content of the TextWorldExpress games, for use without the option `contentDir`.
import { lazy } from '../../data-file.js';
import { makeContent } from './content.js';
import { foodFile } from './foods.js';
import { objectFile } from './objects.js';

export const builtInContent = lazy(() => makeContent(foodFile(), objectFile(), false));
