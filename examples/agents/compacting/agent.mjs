// A reader of long texts that compacts its context: after every page it requests notes, and continues with the notes only.
import OpenAI from 'openai';

const MOST_CALLS = 8;

export async function answer({ question, pages }, { baseURL, apiKey } = {}) {
  const client = new OpenAI({ baseURL, apiKey });
  const ask = async (messages, more = {}) => {
    const body = { model: 'agent', max_tokens: 40, messages, ...more };
    return (await client.chat.completions.create(body)).choices[0].message;
  };
  let messages = [{ role: 'user', content: question }];
  let page = 0;
  for (let call = 0; call < MOST_CALLS; call++) {
    const message = await ask(messages, { tools: [nextPage] });
    if (!message.tool_calls?.length) return message.content;
    messages.push(message);
    for (const { id } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: pages[page++] ?? 'end' });
    if (page <= pages.length) messages = await compacted(messages, question, ask);
  }
  return null;
}

async function compacted(messages, question, ask) {
  const { content } = await ask([...messages, { role: 'user', content: 'Write notes.' }]);
  return [{ role: 'user', content: `${question}\nNotes: ${content}` }];
}

const nextPage = {
  type: 'function',
  function: { name: 'next_page', description: 'The next page.', parameters: { type: 'object', properties: {} } },
};
