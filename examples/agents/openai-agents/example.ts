// Tasks: requests to three desks, each in four wordings. A careless expert chooses any desk, or answers without a look at the
// orders.
import { digits, type Example } from '../common/example.js';

const wordings: Record<string, string[]> = {
  shipping: ['Where is', 'Please track', 'I still wait for', 'When comes'],
  billing: ['What did I pay for', 'I need the invoice of', 'How dear was', 'Show the bill of'],
  returns: ['I want to return', 'I do not like', 'It is broken:', 'Please take back'],
};
const desks = Object.keys(wordings);
const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus', 'Hal'];
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];

interface DeskTask {
  request: string;
  orders: Record<string, Record<string, string>>;
  desk: string;
  answer: string;
  kind: string;
}

export const example: Example<DeskTask, { answer: string; desk: string }> = {
  draw(rng) {
    const desk = rng.choice(desks);
    const wording = rng.choice(wordings[desk]);
    const person = rng.choice(people);
    const known = {
      shipping: rng.choice(days),
      billing: `${rng.integer(2, 9)} euros`,
      returns: `label ${rng.integer(2, 9)}`,
    };
    const request = `${wording} the order of ${person}.`;
    const answer = known[desk as keyof typeof known];
    return { request, orders: { [person]: known }, desk, answer, kind: desk };
  },
  names: [people, days, digits],
  warmStart: { records: 200, carelessness: 0.25, copies: 5, epochs: 8, batchSize: 16, lmLr: 4e-3 },
  expert(messages, tools) {
    const last = messages.at(-1)!;
    const request = messages.find(({ role }) => role === 'user')!.content;
    const desk = desks.find((name) => wordings[name].some((wording) => request.startsWith(wording)))!;
    if (tools[0].startsWith('transfer_to_')) return [[`transfer_to_${desk}`, {}]];
    const [tool] = tools;
    const answered = last.role === 'tool' && messages.some((message) => called(message) === tool);
    return answered ? last.content : [[tool, { person: people.find((name) => request.includes(name))! }]];
  },
  slip(_, tools, rng) {
    return tools[0].startsWith('transfer_to_') ? [[rng.choice(tools), {}]] : 'unknown';
  },
  reward: ({ answer, desk }, said) => (said.answer === answer && said.desk === desk ? 1 : 0),
};

const called = ({ tool_calls }: { tool_calls?: { function: { name: string } }[] }) => tool_calls?.[0].function.name;
