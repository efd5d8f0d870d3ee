// A shop's assistant, with OpenAI's SDK: one tool looks up prices, and another one calculates.
import OpenAI from 'openai';

/** @param prices by the name of a fruit */
export async function answer({ question, prices }, { baseURL, apiKey } = {}) {
  const client = new OpenAI({ baseURL, apiKey });
  const runner = client.chat.completions.runTools(
    { model: 'agent', max_tokens: 60, messages: [{ role: 'user', content: question }], tools: toolsOf(prices) },
    { maxChatCompletions: 6 },
  );
  await runner.done();
  return runner.messages.at(-1).content;
}

const toolsOf = (prices) => [
  tool('look_up', 'The price of a fruit.', 'fruit', ({ fruit }) => String(prices[fruit] ?? 'unknown')),
  tool('calculate', 'Calculates.', 'expression', ({ expression }) => calculated(String(expression))),
];

const tool = (name, description, argument, execute) => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties: { [argument]: { type: 'string' } }, required: [argument] },
    parse: JSON.parse,
    function: execute,
  },
});

/** Calculates sums of products of integers. */
function calculated(expression) {
  if (!/^\d+([*+]\d+)*$/.test(expression)) return 'error';
  const products = expression.split('+').map((term) => term.split('*').reduce((product, n) => product * Number(n), 1));
  return String(products.reduce((sum, n) => sum + n, 0));
}
