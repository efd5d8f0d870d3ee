// Appointments, of which its user has no more than 24 examples.
import { digits } from '../../../examples/agents/common/example.js';
import { studyAgent } from '../agent.js';
import { withTools } from '../chat.js';

const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus', 'Hal'];
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
/** By tool: the question that it answers. */
const questions: Record<string, string> = {
  next: 'When is the next visit of',
  last: 'When was the last visit of',
  doctor: 'Who sees',
};
const tools = Object.keys(questions);

interface VisitTask {
  question: string;
  person: string;
  asked: string;
  /** By tool. */
  known: Record<string, string>;
}

export const agent = studyAgent<VisitTask, string | null>({
  name: 'few',
  kind: '24 tasks in all',
  taskCount: 24,
  example: {
    draw(rng) {
      const [asked, [person, doctor]] = [rng.choice(tools), rng.shuffle(people)];
      const visit = () => `${rng.choice(days)} ${rng.integer(1, 9)}`;
      const known = { next: visit(), last: visit(), doctor };
      return { question: `${questions[asked]} ${person}?`, person, asked, known };
    },
    names: [people, days, digits],
    warmStart: { records: 300, carelessness: 0.4, copies: 4, epochs: 6, batchSize: 16, lmLr: 4e-3 },
    expert(messages) {
      const [{ content }, last] = [messages[0], messages.at(-1)!];
      return last.role === 'tool'
        ? last.content
        : callOf(
            content,
            tools.find((tool) => content.startsWith(questions[tool]))!,
          );
    },
    slip(messages, _, rng) {
      const [{ content }, last] = [messages[0], messages.at(-1)!];
      return last.role === 'tool' || rng.uniform() < 0.3 ? 'Please call us.' : callOf(content, rng.choice(tools));
    },
    reward: ({ asked, known }, said) => (said === known[asked] ? 1 : 0),
  },
  answer: ({ question, person, known }, endpoint) =>
    withTools(
      endpoint,
      question,
      tools.map((name) => ({
        name,
        parameters: ['person'],
        execute: (args) => (args.person === person ? known[name] : 'unknown'),
      })),
      3,
    ),
});

function callOf(question: string, tool: string): [string, object][] {
  return [[tool, { person: /(\w+)\?$/.exec(question)![1] }]];
}
