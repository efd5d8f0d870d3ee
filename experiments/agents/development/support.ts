// A support agent with three tools, and a reward with parts: half of it is to be had without any tool.
import type { Rng } from '@bowyer/core';
import type { Message } from '../../../examples/agents/common/example.js';
import { digits } from '../../../examples/agents/common/example.js';
import { studyAgent } from '../agent.js';
import { withTools } from '../chat.js';

const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus', 'Hal'];
const items = ['lamp', 'kettle', 'chair', 'clock', 'radio', 'fan'];
/** By category: how customers word it, and the tool that knows the sum to pay back. */
const categories = {
  broken: { wordings: ['is broken', 'came in pieces', 'does not work'], tool: 'price' },
  late: { wordings: ['is late', 'never came', 'is still away'], tool: 'fee' },
  wrong: { wordings: ['is too small', 'has the wrong colour', 'is not mine'], tool: 'voucher' },
};
type Category = keyof typeof categories;
const names = Object.keys(categories) as Category[];

interface SupportTask {
  message: string;
  person: string;
  order: string;
  category: Category;
  /** The sum that each tool knows of this customer. */
  sums: Record<string, number>;
}

const sum = (rng: Rng) => rng.integer(11, 99);

export const agent = studyAgent<SupportTask, string | null>({
  name: 'support',
  kind: 'three tools, a reward with parts; without tools half of it is certain',
  example: {
    draw(rng) {
      const [category, person, item] = [rng.choice(names), rng.choice(people), rng.choice(items)];
      const order = String(rng.integer(111, 999));
      const message = `I am ${person}. My ${item} of order ${order} ${rng.choice(categories[category].wordings)}.`;
      return { message, person, order, category, sums: { price: sum(rng), fee: sum(rng), voucher: sum(rng) } };
    },
    names: [people, items, digits],
    warmStart: { records: 500, carelessness: 0.38, copies: 3, epochs: 6, batchSize: 16, lmLr: 3e-3, width: 96 },
    expert(messages) {
      const { person, category, found } = stateOf(messages);
      if (found !== undefined) return `Dear ${person}: ${category}, ${found} euros.`;
      return callOf(messages, categories[category].tool);
    },
    slip(messages, tools, rng) {
      const { person, category, found } = stateOf(messages);
      if (found !== undefined)
        return rng.choice([
          'I will ask.',
          `${category}, ${found} euros.`,
          `Dear ${person}: ${rng.choice(names)}, ${found} euros.`,
        ]);
      return rng.uniform() < 0.4
        ? `Dear ${person}: ${category}, ${sum(rng)} euros.`
        : callOf(messages, rng.choice([...tools]));
    },
    /** A quarter for the greeting, a quarter for the category, half for the sum. */
    reward({ person, category, sums }, said) {
      if (said === null) return 0;
      const named = /\b(broken|late|wrong)\b/.exec(said)?.[1];
      const paid = /(\d+) euros/.exec(said)?.[1];
      return (
        (said.startsWith(`Dear ${person}:`) ? 0.25 : 0) +
        (named === category ? 0.25 : 0) +
        (paid === String(sums[categories[category].tool]) ? 0.5 : 0)
      );
    },
  },
  answer({ message, person, order, sums }, endpoint) {
    const ofOrder = (name: string) => ({
      name,
      parameters: ['order'],
      execute: (args: Readonly<Record<string, string>>) => (args.order === order ? String(sums[name]) : 'unknown'),
    });
    const voucher = {
      name: 'voucher',
      parameters: ['name'],
      execute: (args: Readonly<Record<string, string>>) => (args.name === person ? String(sums.voucher) : 'unknown'),
    };
    return withTools(endpoint, message, [ofOrder('price'), ofOrder('fee'), voucher], 3);
  },
});

function stateOf(messages: readonly Message[]) {
  const { content } = messages[0];
  const category = names.find((name) => categories[name].wordings.some((wording) => content.endsWith(`${wording}.`)))!;
  const found = messages.findLast(({ role }) => role === 'tool')?.content;
  return { person: /I am (\w+)/.exec(content)![1], category, found };
}

function callOf(messages: readonly Message[], tool: string): [string, object][] {
  const { content } = messages[0];
  return [
    tool === 'voucher'
      ? [tool, { name: /I am (\w+)/.exec(content)![1] }]
      : [tool, { order: /order (\d+)/.exec(content)![1] }],
  ];
}
