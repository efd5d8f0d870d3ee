// An agent: it asks a model for the desk of a customer's message, and reports whether the answer was right.
// As a program it reads the variables that `train_agent` and `evaluate_agent` set; play.mjs calls it as a function.

async function post(url, apiKey, body) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url}: status ${response.status}: ${await response.text()}`);
  return response.json();
}

/** @param rolloutUrl the address of the rollout, for the reward */
export async function answer({ message, desk }, { baseURL, apiKey, rolloutUrl }) {
  const messages = [
    { role: 'system', content: 'Name the desk: shipping, returns, billing or repair' },
    { role: 'user', content: message },
  ];
  const request = { model: 'any', messages, max_tokens: 4 };
  const { choices } = await post(`${baseURL}/chat/completions`, apiKey, request);
  const isRight = choices[0].message.content.trim() === desk;
  await post(`${rolloutUrl}/rewards`, apiKey, { value: isRight ? 1 : 0 });
}

const { BOWYER_TASK, BOWYER_ROLLOUT_URL, OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
if (BOWYER_TASK !== undefined)
  await answer(JSON.parse(BOWYER_TASK), {
    baseURL: OPENAI_BASE_URL,
    apiKey: OPENAI_API_KEY,
    rolloutUrl: BOWYER_ROLLOUT_URL,
  });
