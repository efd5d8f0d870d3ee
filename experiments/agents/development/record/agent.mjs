// An agent: it asks a model for the desk of a customer's message, and reports whether the answer was right.

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
