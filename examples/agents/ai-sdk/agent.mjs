// The assistant of a house, with the AI SDK: `generateText` with two tools, then a report by `streamText`.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';

/** @param on the devices that are on, by room */
export async function answer({ wish, on }, { baseURL, apiKey } = {}) {
  const model = createOpenAICompatible({ name: 'house', baseURL, apiKey })('agent');
  const house = structuredClone(on);
  const user = { role: 'user', content: wish };
  const { responseMessages } = await generateText({
    model,
    maxOutputTokens: 60,
    messages: [user],
    tools: toolsOf(house),
    stopWhen: stepCountIs(8),
  });
  const asked = { role: 'user', content: 'Report.' };
  const { text } = streamText({ model, maxOutputTokens: 60, messages: [user, ...responseMessages, asked] });
  return { on: house, report: await text };
}

function toolsOf(house) {
  const room = { type: 'string' };
  const input = (properties) => jsonSchema({ type: 'object', properties, required: Object.keys(properties) });
  const list = ({ room }) => `on: ${house[room]?.join(', ') || 'nothing'}`;
  const switchOff = ({ room, device }) => {
    house[room] = house[room]?.filter((other) => other !== device);
    return list({ room });
  };
  return {
    list: tool({ description: 'What is on in a room.', inputSchema: input({ room }), execute: list }),
    switch_off: tool({
      description: 'Switches a device off.',
      inputSchema: input({ room, device: { type: 'string' } }),
      execute: switchOff,
    }),
  };
}
