// An agent that is a program: it asks a model for the desk of a customer's message, and reports whether the answer was right.
// It is started with the variables that `train_agent` and `evaluate_agent` set, and that play.mjs sets for a recording server.
const { BOWYER_TASK, BOWYER_ROLLOUT_URL, OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
const task = JSON.parse(BOWYER_TASK);

async function post(url, body) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url}: status ${response.status}: ${await response.text()}`);
  return response.json();
}

const messages = [
  { role: 'system', content: 'Name the desk: shipping, returns, billing or repair' },
  { role: 'user', content: task.message },
];
const { choices } = await post(`${OPENAI_BASE_URL}/chat/completions`, { model: 'any', messages, max_tokens: 4 });
const isRight = choices[0].message.content.trim() === task.desk;
await post(`${BOWYER_ROLLOUT_URL}/rewards`, { value: isRight ? 1 : 0 });
