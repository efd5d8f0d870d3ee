// Lists the colours that WebShop's reward knows. An option that contains one of them counts as that colour.
import { fromDataFile } from '../data-file.js';

const colours = fromDataFile('webshop/colours.json', (data: { colours: string[] }) => data.colours);

/** Returns the first colour of the list that the value contains; else the value. */
export const plainColour = (value: string): string => colours().find((colour) => value.includes(colour)) ?? value;

/** Returns the colour of a named option if its name or its value equals a colour; else the name and the value. */
export const plainColourOfPair = (pair: readonly [string, string]): string =>
  colours().find((colour) => pair.includes(colour)) ?? pair.join(' ');
