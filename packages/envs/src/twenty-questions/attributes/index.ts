// The attribute table: the rows of every theme, made ready for use.
import { fromDataFile, lazy } from '../../data-file.js';
import { makeAttribute, type Attribute, type AttributeRow } from './attribute.js';

/** One file for each theme. Rows of earlier themes come first where two attributes split the words alike. */
const themes = [
  'living',
  'food',
  'appearance',
  'sports',
  'vehicles',
  'electronics',
  'instruments',
  'furniture',
  'art-and-toys',
  'tools',
  'worn',
  'kitchen',
  'office',
  'whereabouts',
  'common',
].map((theme) =>
  fromDataFile(
    `twenty-questions/attributes/${theme}.json`,
    ({ attributes }: { attributes: AttributeRow[] }) => attributes,
  ),
);

export const allAttributes: () => readonly Attribute[] = lazy(() =>
  themes.flatMap((rows) => rows().map(makeAttribute)),
);
