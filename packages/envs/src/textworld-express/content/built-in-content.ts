// The content that is played when no contentDir is given.
import { makeContent, type Content } from './content.js';
import { foodFile } from './foods.js';
import { objectFile } from './objects.js';

let made: Content | undefined;

/** Made at the first call. */
export function builtInContent(): Content {
  made ??= makeContent(foodFile, objectFile, false);
  return made;
}
