// An analyst of a shop's orders: LangChain's agent with a tool that queries an SQL database.
import { DatabaseSync } from 'node:sqlite';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';

/** @param orders rows of a customer, an item and a price */
export async function answer({ question, orders }, { baseURL, apiKey } = {}) {
  const model = new ChatOpenAI({ model: 'agent', maxTokens: 80, apiKey, configuration: { baseURL } });
  const database = databaseOf(orders);
  const agent = createAgent({ model, tools: [sqlTool(database)] });
  try {
    const { messages } = await agent.invoke(
      { messages: [{ role: 'user', content: question }] },
      { recursionLimit: 10 },
    );
    return messages.at(-1).text;
  } finally {
    database.close();
  }
}

function databaseOf(orders) {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE orders (name TEXT, item TEXT, amount INTEGER)');
  const insert = database.prepare('INSERT INTO orders VALUES (?, ?, ?)');
  for (const row of orders) insert.run(...row);
  return database;
}

function sqlTool(database) {
  const schema = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
  const execute = ({ query }) => {
    // Node 24.9 crashes in `close` if an empty query was prepared.
    if (!/^\s*select\b/i.test(query)) return 'error: only SELECT is allowed';
    try {
      const rows = database.prepare(query).all();
      return rows.map((row) => Object.values(row).join(', ')).join('; ') || 'nothing';
    } catch (error) {
      return `error: ${error.message}`;
    }
  };
  return tool(execute, { name: 'sql', description: 'Asks orders(name, item, amount).', schema });
}
