// Questions on prices. The records hold many of the simple kinds and few of those that need four tools in a row.
import type { Example } from '../common/example.js';

const fruits = ['apples', 'pears', 'plums', 'figs', 'lemons', 'melons', 'limes', 'kiwis'];

interface ShopTask {
  question: string;
  prices: Record<string, number>;
  answer: number;
  /** How many kinds of fruit are bought. */
  kind: number;
}

export const example: Example<ShopTask, string | null> = {
  draw(rng) {
    const prices = Object.fromEntries(fruits.map((fruit) => [fruit, rng.integer(2, 9)]));
    const kinds = rng.integer(1, 2);
    const bought = rng.shuffle(fruits).slice(0, kinds);
    const counts = bought.map(() => rng.integer(2, 9));
    const answer = bought.reduce((sum, fruit, i) => sum + counts[i] * prices[fruit], 0);
    const question = `What do ${bought.map((fruit, i) => `${counts[i]} ${fruit}`).join(' and ')} cost?`;
    return { question, prices, answer, kind: kinds };
  },
  isRecorded: ({ kind }, rng) => kind === 1 || rng.uniform() < 0.3,
  warmStart: { records: 200, epochs: 40, batchSize: 16, lmLr: 4e-3 },
  training: { iterations: 40, lmLr: 2e-4 },
  expert(messages) {
    const bought = [...messages[0].content.matchAll(/(\d+) (\w+)/g)].map(([, count, fruit]) => ({ count, fruit }));
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    if (results.length < bought.length) return [['look_up', { fruit: bought[results.length].fruit }]];
    if (results.length > bought.length) return results.at(-1)!;
    const expression = bought.map(({ count }, i) => `${count}*${results[i]}`).join('+');
    return [['calculate', { expression }]];
  },
  reward: ({ answer }, said) => (said === String(answer) ? 1 : 0),
};
