// Lists the colours that WebShop's reward knows; an option such as "dark blue" is compared as the colour it contains.
import { fromDataFile } from '../data-file.js';

const colours = fromDataFile('webshop/colours.json', (data: { colours: string[] }) => data.colours);

/** Returns the first colour of the list that an option's value contains; the value itself if it contains none. */
export const plainColour = (value: string): string => colours().find((colour) => value.includes(colour)) ?? value;

/** Returns the first colour that equals the name or the value of an option; if there is none, the name and the value. */
export const plainColourOfPair = (pair: readonly [string, string]): string =>
  colours().find((colour) => pair.includes(colour)) ?? pair.join(' ');
