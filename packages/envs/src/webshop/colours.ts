// The colours that WebShop's reward knows: an option that contains one counts as that one.
import { fromDataFile } from '../data-file.js';

const colours = fromDataFile('webshop/colours.json', (data: { colours: string[] }) => data.colours);

/** Returns the first colour of the list that stands anywhere in the value, else the value. */
export const plainColour = (value: string): string => colours().find((colour) => value.includes(colour)) ?? value;

/** Returns the colour of a named option, which counts as one only if its name or value is a colour and nothing else. */
export const plainColourOfPair = (pair: readonly [string, string]): string =>
  colours().find((colour) => pair.includes(colour)) ?? pair.join(' ');
