// Tries OpenAI's Agents SDK over Responses, and over Chat Completions: node agents.mjs responses|chat
import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { origin, schemas, tryClient } from './features.mjs';

setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'none' }));
setOpenAIAPI(process.argv[2] === 'chat' ? 'chat_completions' : 'responses');

const agent = (model, more = {}) => new Agent({ name: 'Helper', instructions: 'Be kind.', model, ...more });

await tryClient(`@openai/agents, ${process.argv[2]}`, {
  text: async (question, model) => (await run(agent(model), question)).finalOutput,
  async *pieces(question, model, signal) {
    const result = await run(agent(model), question, { stream: true, signal });
    yield* result.toTextStream();
    await result.completed;
  },
  async loop(question, model, functions) {
    const tools = Object.entries(functions).map(([name, execute]) =>
      tool({ name, description: name, parameters: schemas[name], strict: false, execute: (args) => execute(args) }),
    );
    const result = await run(agent(model, { tools }), question, { stream: true });
    await result.completed;
    return result.finalOutput;
  },
  async object(question, model) {
    const outputType = { type: 'json_schema', name: 'place', strict: true, schema: schemas.tower };
    return (await run(agent(model, { outputType }), question)).finalOutput;
  },
});
