// Writes made-up episodes in which product numbers are read and clicked, and nothing else is asked: what a small policy learns before it
// learns to shop, where every number is clicked once (packages/envs/src/webshop/webshop.md). No number is of any catalogue's draw.
//   node --conditions=source --import tsx benchmarks/webshop-copying.ts FILE.jsonl [EPISODES]
import { writeFileSync } from 'node:fs';
import { Rng } from '@bowyer/core';

const [file, episodes = '4000'] = process.argv.slice(2);
const rng = Rng.forPurpose(0, 'copying');
const symbols = [...'0123456789ABCDEFGHJKLMNPQRSTVWXYZ'];
const NUMBERS = 12;

const number = () => `B0Z${Array.from({ length: 7 }, () => rng.choice(symbols)).join('')}`;
const price = () => `$${(5 + 195 * rng.uniform()).toFixed(2)}`;

/** Numbers with prices as a page of results shows them; then each is clicked, in the order of the page or in another. */
function episode() {
  const numbers = Array.from({ length: NUMBERS }, number);
  const clicked = rng.uniform() < 0.5 ? numbers : rng.shuffle([...numbers]);
  return {
    reset: { observation: `\n${numbers.map((one) => `[${one}] \n${price()} \n`).join('')}` },
    steps: clicked.map((one) => ({ action: `click[${one}]`, observation: 'OK.', reward: 0 })),
  };
}

writeFileSync(file, Array.from({ length: Number(episodes) }, () => `${JSON.stringify(episode())}\n`).join(''));
