// Joins the rows of all themes to the attribute table.
import { fromDataFile, lazy } from '../../data-file.js';
import { makeAttribute, type Attribute, type AttributeRow } from './attribute.js';

/** The themes, one file each. Among attributes that split the words alike, the earlier theme has priority. */
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
