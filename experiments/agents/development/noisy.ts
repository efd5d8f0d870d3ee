// One question on an order, and a judge whose marks are as noisy as those of a tired person.
import { digits } from '../../../examples/agents/common/example.js';
import { studyAgent } from '../agent.js';
import { complete } from '../chat.js';

const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus', 'Hal'];
const fruits = ['apples', 'pears', 'plums', 'figs', 'lemons', 'melons'];
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
const asks = ['Who?', 'How many?', 'What?', 'When?'];

interface OrderTask {
  question: string;
  answer: string;
}

/** The parts of an order, in the order of `asks`. */
const partsOf = (question: string) => /^(\w+) orders (\d) (\w+) for (\w+)\./.exec(question)!.slice(1);
const askedIn = (question: string) => asks.findIndex((ask) => question.endsWith(ask));

export const agent = studyAgent<OrderTask, string>({
  name: 'noisy',
  kind: 'one turn, a reward with noise (standard deviation 0.4)',
  noise: 0.4,
  example: {
    draw(rng) {
      const order = `${rng.choice(people)} orders ${rng.integer(2, 9)} ${rng.choice(fruits)} for ${rng.choice(days)}.`;
      const ask = rng.integer(0, asks.length - 1);
      return { question: `${order} ${asks[ask]}`, answer: partsOf(order)[ask] };
    },
    names: [people, fruits, days, digits],
    warmStart: { records: 600, carelessness: 0.6, copies: 4, epochs: 6, batchSize: 16, lmLr: 4e-3 },
    expert: ([{ content }]) => partsOf(content)[askedIn(content)],
    slip: ([{ content }], _, rng) => rng.choice(partsOf(content)),
    reward: ({ answer }, said) => (said === answer ? 1 : 0),
  },
  answer: async ({ question }, endpoint) =>
    ((await complete(endpoint, [{ role: 'user', content: question }])).content ?? '').trim(),
});
