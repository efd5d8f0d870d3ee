// The place of a parcel: a tool knows it, and the start solves nearly all tasks, so that training can only harm.
import { digits } from '../../../examples/agents/common/example.js';
import { studyAgent } from '../agent.js';
import { withTools } from '../chat.js';

const cities = ['Rome', 'Paris', 'Oslo', 'Bonn', 'Cork', 'Lima', 'Nice', 'Pisa'];

interface ParcelTask {
  question: string;
  parcel: string;
  city: string;
}

export const agent = studyAgent<ParcelTask, string | null>({
  name: 'optimal',
  kind: 'the start solves 97 % or more',
  hasRoom: false,
  example: {
    draw(rng) {
      const parcel = String(rng.integer(111, 999));
      return { question: `Where is parcel ${parcel}?`, parcel, city: rng.choice(cities) };
    },
    names: [cities, digits],
    warmStart: { records: 300, carelessness: 0.005, copies: 5, epochs: 6, batchSize: 16, lmLr: 4e-3 },
    expert(messages) {
      const found = messages.find(({ role }) => role === 'tool')?.content;
      return found === undefined ? [['track', { parcel: /\d+/.exec(messages[0].content)![0] }]] : `In ${found}.`;
    },
    slip: () => 'I do not know.',
    reward: ({ city }, said) => (said === `In ${city}.` ? 1 : 0),
  },
  answer: ({ question, parcel, city }, endpoint) =>
    withTools(
      endpoint,
      question,
      [{ name: 'track', parameters: ['parcel'], execute: (args) => (args.parcel === parcel ? city : 'unknown') }],
      3,
    ),
});
