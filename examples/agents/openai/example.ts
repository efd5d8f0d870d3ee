// Tasks: questions about prices of one or two kinds of fruit. A careless expert calculates without having looked up a price, or
// gives a price as the answer.
import { digits, type Example, type Message } from '../common/example.js';

const fruits = ['apples', 'pears', 'plums', 'figs', 'lemons', 'melons', 'limes', 'kiwis'];

interface ShopTask {
  question: string;
  prices: Record<string, number>;
  answer: number;
  /** The number of kinds of fruit. */
  kind: number;
}

export const example: Example<ShopTask, string | null> = {
  draw(rng) {
    const prices = Object.fromEntries(fruits.map((fruit) => [fruit, rng.integer(2, 9)]));
    const kind = rng.integer(1, 2);
    const bought = rng.shuffle(fruits).slice(0, kind);
    const counts = bought.map(() => rng.integer(2, 9));
    const answer = bought.reduce((sum, fruit, i) => sum + counts[i] * prices[fruit], 0);
    const question = `What do ${bought.map((fruit, i) => `${counts[i]} ${fruit}`).join(' and ')} cost?`;
    return { question, prices, answer, kind };
  },
  names: [fruits, digits],
  warmStart: { records: 400, carelessness: 0.35, copies: 3, epochs: 8, batchSize: 16, lmLr: 4e-3 },
  expert(messages) {
    const { bought, results } = stateOf(messages);
    if (results.length < bought.length) return [['look_up', { fruit: bought[results.length].fruit }]];
    if (results.length > bought.length) return results.at(-1)!;
    const expression = bought.map(({ count }, i) => `${count}*${results[i]}`).join('+');
    return [['calculate', { expression }]];
  },
  slip(messages) {
    const { bought, results } = stateOf(messages);
    if (results.length === 0)
      return [['calculate', { expression: bought.map(({ count }) => `${count}*${count}`).join('+') }]];
    return results.at(-1)!;
  },
  reward: ({ answer }, said) => (said === String(answer) ? 1 : 0),
};

/** Returns the fruit in question, and the results of the tools so far. */
const stateOf = (messages: readonly Message[]) => ({
  bought: [...messages[0].content.matchAll(/(\d+) (\w+)/g)].map(([, count, fruit]) => ({ count, fruit })),
  results: messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
});
