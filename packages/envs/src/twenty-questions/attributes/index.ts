// Joins the files of attributes, one for each theme, to the attribute table of Twenty Questions.
import { fromDataFile, lazy } from '../../data-file.js';
import { makeAttribute, type Attribute, type AttributeRow } from './attribute.js';

/** The themes, each with its own file. Of attributes with equal answers for all words, that of the earlier theme is used. */
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
