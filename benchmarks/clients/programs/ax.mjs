// Tries Ax.
import assert from 'node:assert/strict';
import { ai, ax } from '@ax-llm/ax';
import { origin, schemas, tryClient } from './features.mjs';

const service = (model) => ai({ name: 'openai', apiKey: 'none', apiURL: `${origin}/v1`, config: { model } });
const prompt = (content) => ({ chatPrompt: [{ role: 'user', content }] });
const whole = { stream: false };
const textOf = async (model, request) => (await service(model).chat(request, whole)).results[0].content;

await tryClient('@ax-llm/ax', {
  async text(question, model) {
    const { reply } = await ax('question:string -> reply:string').forward(service(model), { question }, whole);
    assert.equal(await textOf(model, prompt(question)), reply);
    return reply;
  },
  async *pieces(question, model, abortSignal) {
    const stream = await service(model).chat(prompt(question), { stream: true, abortSignal });
    for await (const { results } of stream) yield results[0]?.content ?? '';
  },
  /** Calls tools until an answer has none. */
  async loop(question, model, own) {
    const { chatPrompt } = prompt(question);
    const functions = Object.keys(own).map((name) => ({ name, description: name, parameters: schemas[name] }));
    for (;;) {
      const { results } = await service(model).chat({ chatPrompt, functions }, whole);
      const [{ content, functionCalls = [] }] = results;
      if (functionCalls.length === 0) return content;
      chatPrompt.push({ role: 'assistant', content, functionCalls });
      for (const { id, function: called } of functionCalls) {
        const args = typeof called.params === 'string' ? JSON.parse(called.params) : called.params;
        chatPrompt.push({ role: 'function', functionId: id, result: own[called.name](args) });
      }
    }
  },
  async object(question, model) {
    const responseFormat = { type: 'json_schema', schema: { name: 'place', strict: true, schema: schemas.tower } };
    return JSON.parse(await textOf(model, { ...prompt(question), responseFormat }));
  },
});
