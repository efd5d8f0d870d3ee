// The prices and stocks of the markets, and the tasks about them.
//   node examples/mcp/market.mjs > tasks.jsonl
import { fileURLToPath } from 'node:url';

export const markets = ['north', 'east', 'south', 'west'];
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

/** 1…9, without order: a value that was not looked up can only be guessed. */
export function valueOf(tool, market, item) {
  let state = 7 + markets.indexOf(market) * 101 + items.indexOf(item) * 13 + (tool === 'price' ? 0 : 997);
  for (let round = 0; round < 5; round++) state = (state * 48_271) % 2_147_483_647;
  return 1 + (state % 9);
}

const questions = {
  price: (market, item) => `What is the price of a ${item} in the ${market} ?`,
  stock: (market, item) => `How many of ${item} are in stock in the ${market} ?`,
};

const tasks = Object.entries(questions).flatMap(([tool, ask]) =>
  markets.flatMap((market) =>
    items.map((item) => {
      const answer = String(valueOf(tool, market, item));
      const expert = [{ name: tool, arguments: { market, item } }, { answer }];
      return { id: `${tool} ${market} ${item}`, kind: tool, prompt: ask(market, item), answer, expert };
    }),
  ),
);

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const task of tasks) console.log(JSON.stringify(task));
