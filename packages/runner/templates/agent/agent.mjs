// The agent: it answers a customer of a shop, with three tools. It calls a model over OpenAI's protocol. You can also use the SDK
// of OpenAI or Anthropic, or a framework, with the same baseURL and apiKey.
const SYSTEM = `You answer the customers of a shop.
Look up the order first. Refund what is lost or broken, hand over what is late, and do nothing about what was delivered.`;

const tool = (name, description, argument) => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties: { [argument]: { type: 'string' } }, required: [argument] },
  },
});

const tools = [
  tool('find_order', 'Returns the state of an order.', 'order'),
  tool('refund', 'Gives the money for an order back.', 'order'),
  tool('hand_over', 'Hands the customer over to a person.', 'reason'),
];

/** The maximum number of calls of the model in a dialogue. */
const TURNS = 6;

/** Returns the agent's answer, and its calls of the tools that change something. */
export async function answer(task, { baseURL, apiKey, signal }) {
  const messages = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: task.question },
  ];
  const done = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const response = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model: 'any', messages, tools }),
      signal,
    });
    if (!response.ok) throw new Error(`the model's endpoint answered ${response.status}: ${await response.text()}`);
    const { message } = (await response.json()).choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return { text: message.content ?? '', done };
    for (const { id, function: call } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: callTool(task, call, done) });
  }
  return { text: '', done };
}

/** An incorrect call is answered with an error, so that the model can correct it. */
function callTool(task, call, done) {
  let args;
  try {
    args = JSON.parse(call.arguments);
  } catch {
    return 'error: the arguments are not JSON';
  }
  if (call.name === 'hand_over') {
    done.push('hand_over');
    return 'ok';
  }
  if (args.order !== task.order) return `error: there is no order ${args.order}`;
  if (call.name === 'find_order') return JSON.stringify({ order: task.order, state: task.state });
  done.push('refund');
  return 'ok';
}
