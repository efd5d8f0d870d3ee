// Tries OpenAI's SDK over Chat Completions; @openai/agents uses it over Responses too.
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { origin, schemas, tryClient } from './features.mjs';

const { completions } = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'none' }).chat;
const asking = (content, model) => ({ model, messages: [{ role: 'user', content }] });

await tryClient('openai, chat', {
  async text(question, model) {
    const { choices, usage } = await completions.create(asking(question, model));
    assert.ok(usage.prompt_tokens > 0 && choices[0].finish_reason === 'stop');
    return choices[0].message.content;
  },
  async *pieces(question, model, signal) {
    const stream = await completions.create({ ...asking(question, model), stream: true }, { signal });
    for await (const { choices } of stream) if (choices[0]?.delta.content) yield choices[0].delta.content;
  },
  loop(question, model, functions) {
    const tools = Object.entries(functions).map(([name, run]) => ({
      type: 'function',
      function: { name, parameters: schemas[name], parse: JSON.parse, function: (args) => run(args) },
    }));
    return completions.runTools({ ...asking(question, model), tools, stream: true }).finalContent();
  },
  async object(question, model) {
    const json_schema = { name: 'place', strict: true, schema: schemas.tower };
    const response_format = { type: 'json_schema', json_schema };
    const { choices } = await completions.create({ ...asking(question, model), response_format });
    return JSON.parse(choices[0].message.content);
  },
});
