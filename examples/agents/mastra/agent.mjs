// Two agents of Mastra: one answers questions, and asks the other one, a clerk with a price list, for prices.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

/** @param prices by the name of a fruit */
export async function answer({ question, prices }, { baseURL, apiKey } = {}) {
  const model = createOpenAICompatible({ name: 'shop', baseURL, apiKey })('agent');
  const limits = { maxSteps: 5, modelSettings: { maxOutputTokens: 60 } };
  const input = z.object({ fruit: z.string() });
  const priceOf = async ({ fruit }) => String(prices[fruit] ?? 'unknown');
  const lookUp = createTool({ id: 'look_up', description: 'A price.', inputSchema: input, execute: priceOf });
  const clerk = new Agent({ id: 'clerk', name: 'clerk', instructions: 'clerk', model, tools: { look_up: lookUp } });
  const ask = async ({ fruit }) => (await clerk.generate(`What do ${fruit} cost?`, limits)).text;
  const askClerk = createTool({ id: 'ask_clerk', description: 'Asks the clerk.', inputSchema: input, execute: ask });
  const adviser = new Agent({
    id: 'adviser',
    name: 'adviser',
    instructions: 'adviser',
    model,
    tools: { ask_clerk: askClerk },
  });
  return (await adviser.generate(question, limits)).text;
}
