// A journey whose two prices are known to two of four tools, with points from 0 to 10.
import type { Message } from '../../../examples/agents/common/example.js';
import { digits } from '../../../examples/agents/common/example.js';
import { studyAgent } from '../agent.js';
import { withTools } from '../chat.js';

const cities = ['Rome', 'Paris', 'Oslo', 'Bonn', 'Cork', 'Lima', 'Nice', 'Pisa'];
const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn'];
/** By tool: the words with which it is asked for. */
const ways: Record<string, string> = { train: 'by train', plane: 'by plane' };
const beds: Record<string, string> = { hotel: 'in a hotel', camping: 'in a tent' };
const tools = [...Object.keys(ways), ...Object.keys(beds)];

interface TripTask {
  question: string;
  city: string;
  way: string;
  bed: string;
  /** By tool. */
  prices: Record<string, number>;
}

export const agent = studyAgent<TripTask, string | null>({
  name: 'trip',
  kind: 'four tools, points from 0 to 10',
  example: {
    draw(rng) {
      const [way, bed] = [rng.choice(Object.keys(ways)), rng.choice(Object.keys(beds))];
      const city = rng.choice(cities);
      const question = `${rng.choice(people)} goes to ${city} ${ways[way]} and sleeps ${beds[bed]}.`;
      return { question, city, way, bed, prices: Object.fromEntries(tools.map((tool) => [tool, rng.integer(11, 99)])) };
    },
    names: [cities, people, digits],
    warmStart: { records: 500, carelessness: 0.3, copies: 3, epochs: 6, batchSize: 16, lmLr: 3e-3, width: 80 },
    expert(messages) {
      const { city, wanted, found } = stateOf(messages);
      if (found.length < wanted.length) return [[wanted[found.length], { city }]];
      return `Journey ${found[0]}, bed ${found[1]}.`;
    },
    slip(messages, _, rng) {
      const { city, wanted, found } = stateOf(messages);
      if (found.length >= wanted.length) return rng.choice(['It is far.', `Journey ${found[1]}, bed ${found[0]}.`]);
      const guess = rng.integer(11, 99);
      return rng.uniform() < 0.5 ? [[rng.choice(tools), { city }]] : `Journey ${found[0] ?? guess}, bed ${guess}.`;
    },
    /** Four points for each price, two for the form. */
    reward({ way, bed, prices }, said) {
      const [form, journey, night] = /^Journey (\d+), bed (\d+)\.$/.exec(said ?? '') ?? [];
      if (form === undefined) return 0;
      return 2 + (journey === String(prices[way]) ? 4 : 0) + (night === String(prices[bed]) ? 4 : 0);
    },
  },
  answer: ({ question, city, prices }, endpoint) =>
    withTools(
      endpoint,
      question,
      tools.map((name) => ({
        name,
        parameters: ['city'],
        execute: (args) => (args.city === city ? String(prices[name]) : 'unknown'),
      })),
      4,
    ),
});

function stateOf(messages: readonly Message[]) {
  const { content } = messages[0];
  const wanted = [ways, beds].map((words) => Object.keys(words).find((tool) => content.includes(words[tool]))!);
  const found = messages.filter(({ role }) => role === 'tool').map((message) => message.content);
  return { city: /to (\w+) by/.exec(content)![1], wanted, found };
}
