// An order in words as JSON: one wrong character, and there is no reward.
import { digits } from '../../../examples/agents/common/example.js';
import { studyAgent } from '../agent.js';
import { complete } from '../chat.js';

const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus', 'Hal'];
const fruits = ['apples', 'pears', 'plums', 'figs', 'lemons', 'melons'];
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];

interface Order {
  name: string;
  count: number;
  item: string;
  day: string;
}

interface OrderTask {
  message: string;
  order: Order;
}

const wordings = [
  ({ name, count, item, day }: Order) => `${name} orders ${count} ${item} for ${day}`,
  ({ name, count, item, day }: Order) => `On ${day} I need ${count} ${item}. ${name}`,
  ({ name, count, item, day }: Order) => `${count} ${item} for ${name}, please, by ${day}`,
];

/** The order that a message contains. */
function orderIn(message: string): Order {
  const known = (words: readonly string[]) => words.find((word) => message.includes(word))!;
  return { name: known(people), count: Number(/\d/.exec(message)![0]), item: known(fruits), day: known(days) };
}

/** As `JSON.stringify` writes it, with spaces. */
const written = ({ name, count, item, day }: Order) =>
  `{"name": "${name}", "count": ${count}, "item": "${item}", "day": "${day}"}`;

export const agent = studyAgent<OrderTask, string>({
  name: 'json',
  kind: 'text without tools, all or nothing on exact JSON',
  example: {
    draw(rng) {
      const order = {
        name: rng.choice(people),
        count: rng.integer(2, 9),
        item: rng.choice(fruits),
        day: rng.choice(days),
      };
      return { message: rng.choice(wordings)(order), order };
    },
    names: [people, fruits, days, digits],
    warmStart: { records: 600, carelessness: 0.55, copies: 4, epochs: 8, batchSize: 16, lmLr: 4e-3 },
    expert: ([{ content }]) => written(orderIn(content)),
    slip([{ content }], _, rng) {
      const order = orderIn(content);
      return rng.choice([
        `${order.name} wants ${order.count} ${order.item}.`,
        `Here it is: ${written(order)}`,
        written(order).slice(0, -1),
        written({ ...order, day: rng.choice(days) }),
        written(order).replaceAll('"', "'"),
      ]);
    },
    reward({ order }, said) {
      return said === written(order) ? 1 : 0;
    },
  },
  answer: async ({ message }, endpoint) =>
    ((await complete(endpoint, [{ role: 'user', content: message }])).content ?? '').trim(),
});
