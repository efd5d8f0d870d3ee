// Lists the built-in household objects of the TextWorldExpress games, in the format of TextWorldExpress's own object file.
import { fromDataFile } from '../../data-file.js';
import type { ObjectFile } from './content.js';

/** The objects of each fold that belong on or in the same furniture. */
type PlaceRow = { places: string[] } & Record<keyof ObjectFile, string[]>;

function objectsOf(rows: readonly PlaceRow[], fold: keyof ObjectFile): ObjectFile['train'] {
  const objects = rows.flatMap((row) => row[fold].map((name) => ({ name, locations: row.places })));
  return Object.fromEntries(objects.map((object) => [object.name, object]));
}

export const objectFile = fromDataFile(
  'textworld-express/content/objects.json',
  ({ rows }: { rows: PlaceRow[] }): ObjectFile => ({
    train: objectsOf(rows, 'train'),
    valid: objectsOf(rows, 'valid'),
    test: objectsOf(rows, 'test'),
  }),
);
