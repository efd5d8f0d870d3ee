// The prices and stocks of the markets, and the tasks about them.
//   node examples/mcp/market.mjs > examples/mcp/tasks.jsonl
import { fileURLToPath } from 'node:url';

export const markets = ['north', 'east', 'south', 'west', 'upper', 'lower'];
export const items = [
  'apple',
  'bean',
  'carrot',
  'date',
  'fig',
  'grape',
  'leek',
  'melon',
  'nut',
  'onion',
  'pear',
  'plum',
];

/** Returns a number from 1 to 9 without any pattern, so that a value that was not looked up can only be guessed. */
export function valueOf(tool, market, item) {
  let state = 7 + markets.indexOf(market) * 101 + items.indexOf(item) * 13 + (tool === 'price' ? 0 : 997);
  for (let round = 0; round < 5; round++) state = (state * 48_271) % 2_147_483_647;
  return 1 + (state % 9);
}

const questions = {
  price: (market, item) => `What does a ${item} cost in the ${market} ?`,
  stock: (market, item) => `How much ${item} is left in the ${market} ?`,
};
const tools = Object.keys(questions);

/**
 * A sixth of all combinations of a market and an item is for the test, and a sixth for evaluations; every market and every item
 * is trained on.
 */
const splitOf = (market, item) =>
  ['test', 'train', 'train', 'eval', 'train', 'train'][(markets.indexOf(market) + items.indexOf(item)) % 6];

/** Two of three demonstrations call the right tool, and the third one calls the other tool. */
const tasks = Object.entries(questions).flatMap(([tool, ask]) =>
  markets.flatMap((market) =>
    items.flatMap((item) => {
      const split = splitOf(market, item);
      const answer = String(valueOf(tool, market, item));
      const task = { kind: tool, split, prompt: ask(market, item), answer };
      const id = `${tool} ${market} ${item}`;
      if (split !== 'train') return [{ id, ...task }];
      return [tool, tool, tools.find((other) => other !== tool)].map((called, demonstration) => {
        const found = String(valueOf(called, market, item));
        const expert = [{ name: called, arguments: { market, item } }, { answer: found }];
        return { id: `${id} ${demonstration + 1}`, ...task, expert };
      });
    }),
  ),
);

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const task of tasks) console.log(JSON.stringify(task));
