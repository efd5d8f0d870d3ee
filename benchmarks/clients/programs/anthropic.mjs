// Tries Anthropic's SDK.
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { origin, schemas, tryClient } from './features.mjs';

const { messages } = new Anthropic({ baseURL: origin, apiKey: 'none' });
const asking = (content, model) => ({ model, max_tokens: 900, messages: [{ role: 'user', content }] });
const textOf = ({ content }) => content.map((block) => (block.type === 'text' ? block.text : '')).join('');

await tryClient('@anthropic-ai/sdk', {
  async text(question, model) {
    const message = await messages.create({ ...asking(question, model), system: 'Be kind.' });
    assert.equal(message.stop_reason, 'end_turn');
    return textOf(message);
  },
  async *pieces(question, model, signal) {
    const stream = await messages.create({ ...asking(question, model), stream: true }, { signal });
    for await (const { type, delta } of stream) if (type === 'content_block_delta') yield delta.text;
  },
  /** Calls tools until an answer has none. */
  async loop(question, model, functions) {
    const asked = asking(question, model);
    const tools = Object.keys(functions).map((name) => ({ name, input_schema: schemas[name] }));
    for (;;) {
      const message = await messages.stream({ ...asked, tools }).finalMessage();
      if (message.stop_reason !== 'tool_use') return textOf(message);
      const content = message.content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({ type: 'tool_result', tool_use_id: id, content: functions[name](input) }));
      asked.messages.push({ role: 'assistant', content: message.content }, { role: 'user', content });
    }
  },
  async object(question, model) {
    const output_config = { format: { type: 'json_schema', schema: schemas.tower } };
    return JSON.parse(textOf(await messages.create({ ...asking(question, model), output_config })));
  },
});
