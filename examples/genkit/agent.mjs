// The loan desk of a museum, in Genkit: another museum asks for an object for a month. The agent finds the object, looks where it is
// then, and books the loan or says why not. The only line for Bowyer is the client's `fetch`.
import openAICompatible, { compatOaiModelRef } from '@genkit-ai/compat-oai';
import { rolloutFetch } from '@bowyer/agents';
import { genkit, z } from 'genkit';

const ai = genkit({
  plugins: [openAICompatible({ name: 'museum', apiKey: 'any', fetch: rolloutFetch })],
  model: compatOaiModelRef({ namespace: 'museum', name: 'policy' }),
});

const SYSTEM = 'You are the loan desk of a museum. Fragile objects stay. What is on show stays. All else may be lent.';

/** Returns the rollout's task and its bookings so far. */
const rollout = () => ai.currentContext().rollout;

function tool(name, description, parameters, answer) {
  const inputSchema = z.object(Object.fromEntries(parameters.map((parameter) => [parameter, z.string()])));
  return ai.defineTool({ name, description, inputSchema, outputSchema: z.any() }, async (input) => answer(input));
}

const tools = [
  tool('find_object', 'Finds an object of the collection by its name.', ['name'], ({ name }) => {
    const { task } = rollout();
    return name === task.object ? { shelf: task.shelf, state: task.state } : { error: 'no such object' };
  }),
  tool('see_calendar', 'Says where an object is in a month.', ['shelf', 'month'], ({ shelf, month }) => {
    const { task } = rollout();
    return shelf === task.shelf && month === task.month ? { place: task.place } : { error: 'nothing known' };
  }),
  tool('book_loan', 'Books a loan.', ['shelf', 'month', 'city'], ({ shelf, month, city }) => {
    rollout().booked.push(`${shelf} ${month} ${city}`);
    return { booked: true };
  }),
];

/** Answers a request. @returns the bookings and the answer's text */
export async function loanDesk(task) {
  const context = { rollout: { task, booked: [] } };
  const { text } = await ai.generate({ system: SYSTEM, prompt: task.message, tools, context, maxTurns: 6 });
  return { booked: context.rollout.booked, text };
}

/** Returns 1 if exactly the right loan is booked and the answer says so, and a half if only the booking is right. */
export function reward(task, { result: { booked, text } }) {
  const mayLend = task.state === 'sound' && task.place === 'store';
  if (booked.join() !== (mayLend ? `${task.shelf} ${task.month} ${task.city}` : '')) return 0;
  const word = mayLend ? 'yes' : task.state === 'fragile' ? 'fragile' : 'on show';
  return text.toLowerCase().includes(word) ? 1 : 0.5;
}
