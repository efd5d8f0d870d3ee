// Lists the commands that win the game Lighthouse, for demonstrations and tests.

/** The commands that win with all 50 points in 19 moves, of which one is in vain: they search both places of the key. */
export const lighthouseWalkthrough: readonly string[] = [
  'north',
  'west',
  'take key',
  'east',
  'north',
  'west',
  'open drawer',
  'take all',
  'down',
  'open crate',
  'take all',
  'up',
  'east',
  'unlock door with key',
  'north',
  'up',
  'put wick in lamp',
  'fill lamp with oil',
  'light lamp',
];
