// The colour words that WebShop's reward knows, in its order: an option that contains one counts as that one.
// Source: the list of colours of WebShop at 64fa2a5, a fact that scores depend on.

// prettier-ignore
const colours = [
  'alabaster', 'apricot', 'aqua', 'ash', 'asphalt', 'azure', 'banana', 'beige', 'black', 'blue', 'blush', 'bordeaux',
  'bronze', 'brown', 'burgundy', 'camel', 'camo', 'caramel', 'champagne', 'charcoal', 'cheetah', 'chestnut', 'chocolate',
  'christmas', 'coffee', 'cognac', 'copper', 'coral', 'cranberry', 'cream', 'crystal', 'dark', 'denim', 'eggplant',
  'elephant', 'espresso', 'fuchsia', 'gold', 'granite', 'grape', 'graphite', 'grass', 'gray', 'green', 'grey', 'heather',
  'indigo', 'ivory', 'ivy', 'khaki', 'lavender', 'lemon', 'leopard', 'light', 'lilac', 'lime', 'magenta', 'maroon',
  'mauve', 'merlot', 'midnight', 'mint', 'mocha', 'multicolor', 'mushroom', 'mustard', 'natural', 'navy', 'nude', 'olive',
  'orange', 'peach', 'pewter', 'pink', 'plum', 'purple', 'rainbow', 'red', 'rose', 'royal', 'rust', 'sand', 'sapphire',
  'seashell', 'silver', 'skull', 'slate', 'steel', 'stone', 'stonewash', 'sunflower', 'tan', 'taupe', 'teal', 'tiger',
  'turquoise', 'violet', 'walnut', 'wheat', 'white', 'wine', 'yellow',
];

/** The first colour of the list that stands anywhere in the value, else the value. */
export const plainColour = (value: string): string => colours.find((colour) => value.includes(colour)) ?? value;

/** Of a named option only a name or value that is a colour and nothing else counts as one. */
export const plainColourOfPair = (pair: readonly [string, string]): string =>
  colours.find((colour) => pair.includes(colour)) ?? pair.join(' ');
