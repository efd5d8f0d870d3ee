// A safe with three digits, each of which has to be looked up by its colour, in the order of the question: all or nothing.
import { digits } from '../../../examples/agents/common/example.js';
import { studyAgent } from '../agent.js';
import { withTools } from '../chat.js';

const colours = ['red', 'blue', 'green', 'gold', 'black'];
const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn'];

interface SafeTask {
  question: string;
  asked: string[];
  /** By colour. */
  code: Record<string, number>;
}

const askedIn = (question: string) => /: (.*)\./.exec(question)![1].split(', ');

export const agent = studyAgent<SafeTask, string | null>({
  name: 'sparse',
  kind: 'all or nothing, and the start succeeds in 5 to 10 %',
  example: {
    draw(rng) {
      const asked = rng.shuffle(colours).slice(0, 3);
      const code = Object.fromEntries(colours.map((colour) => [colour, rng.integer(1, 9)]));
      return { question: `Open the safe of ${rng.choice(people)}: ${asked.join(', ')}.`, asked, code };
    },
    names: [colours, people, digits],
    warmStart: { records: 400, carelessness: 0.5, copies: 4, epochs: 6, batchSize: 16, lmLr: 4e-3 },
    expert(messages) {
      const [asked, results] = [
        askedIn(messages[0].content),
        messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
      ];
      return results.length < asked.length ? [['digit', { colour: asked[results.length] }]] : results.join('');
    },
    slip(messages, _, rng) {
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
      if (results.length === askedIn(messages[0].content).length) return rng.shuffle(results).join('');
      return rng.uniform() < 0.5 ? [['digit', { colour: rng.choice(colours) }]] : 'I do not know.';
    },
    reward: ({ asked, code }, said) => (said === asked.map((colour) => code[colour]).join('') ? 1 : 0),
  },
  answer: ({ question, code }, endpoint) =>
    withTools(
      endpoint,
      question,
      [{ name: 'digit', parameters: ['colour'], execute: ({ colour }) => String(code[colour] ?? 'unknown') }],
      5,
    ),
});
