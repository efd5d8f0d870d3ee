// A shop's help desk, with OpenAI's Agents SDK: the first agent passes each request to one of three others.
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';

const desks = {
  shipping: ['track', 'Where an order is.'],
  billing: ['invoice', 'What an order cost.'],
  returns: ['send_back', 'A label for sending an order back.'],
};

/** @param orders the information of each desk, by customer */
export async function answer({ request, orders }, { baseURL, apiKey } = {}) {
  const modelProvider = new OpenAIProvider({ baseURL, apiKey, useResponses: false });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const settings = { model: 'agent', modelSettings: { maxTokens: 60 } };
  const handoffs = Object.entries(desks).map(([name, [toolName, description]]) => {
    const parameters = { type: 'object', properties: { person: { type: 'string' } }, required: ['person'] };
    const execute = ({ person }) => orders[person]?.[name] ?? 'unknown';
    const tools = [tool({ name: toolName, description, parameters, strict: false, execute })];
    return new Agent({ ...settings, name, instructions: name, tools });
  });
  const first = new Agent({ ...settings, name: 'desk', instructions: 'desk', handoffs });
  const result = await runner.run(first, request, { maxTurns: 6 });
  return { answer: result.finalOutput, desk: result.lastAgent.name };
}
