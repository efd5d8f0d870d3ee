// Tasks: which of two prices is higher? A careless expert answers before it has asked for both prices.
import type { Example, Message } from '../common/example.js';

const fruits = ['apples', 'pears', 'plums', 'figs', 'lemons', 'melons', 'limes', 'kiwis'];

interface AdviceTask {
  question: string;
  prices: Record<string, number>;
  answer: string;
  kind: string;
}

export const example: Example<AdviceTask, string> = {
  draw(rng) {
    const [one, other] = rng.shuffle(fruits);
    const [first, second] = rng.shuffle([2, 3, 4, 5, 6, 7, 8, 9]);
    const prices = { [one]: first, [other]: second };
    const kind = Math.abs(first - second) > 3 ? 'far' : 'close';
    return { question: `Which are dearer, ${one} or ${other}?`, prices, answer: first > second ? one : other, kind };
  },
  names: [fruits],
  warmStart: { records: 500, carelessness: 0.35, copies: 3, epochs: 3, batchSize: 16, lmLr: 4e-3 },
  expert(messages, tools) {
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const asked = messages.find(({ role }) => role === 'user')!.content;
    if (tools.includes('look_up'))
      return results.length > 0 ? results[0] : [['look_up', { fruit: /do (\w+) cost/.exec(asked)![1] }]];
    const both = bothOf(messages);
    if (results.length < 2) return [['ask_clerk', { fruit: both[results.length] }]];
    return Number(results[0]) > Number(results[1]) ? both[0] : both[1];
  },
  slip(messages, tools) {
    const isAsked = messages.filter(({ role }) => role === 'tool').length === 2;
    return tools.includes('look_up') || isAsked ? null : 'I do not know.';
  },
  reward: ({ answer }, said) => (said === answer ? 1 : 0),
};

/** Returns the two kinds of fruit in question. */
const bothOf = (messages: readonly Message[]): string[] => {
  const asked = messages.find(({ role }) => role === 'user')!.content;
  return /, (\w+) or (\w+)\?/.exec(asked)!.slice(1);
};
