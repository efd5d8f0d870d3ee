// Makes the content of the games that is used without a `contentDir`.
import { lazy } from '../../data-file.js';
import { makeContent } from './content.js';
import { foodFile } from './foods.js';
import { objectFile } from './objects.js';

export const builtInContent = lazy(() => makeContent(foodFile(), objectFile(), false));
