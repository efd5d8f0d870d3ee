// A server of the Model Context Protocol that knows the prices and the stock of four markets.
//   node examples/mcp/market-server.mjs
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { items, markets, valueOf } from './market.mjs';

const inputSchema = fromJsonSchema({
  type: 'object',
  properties: { market: { type: 'string', enum: markets }, item: { type: 'string', enum: items } },
  required: ['market', 'item'],
  additionalProperties: false,
});

serveStdio(() => {
  const server = new McpServer({ name: 'market', version: '1.0.0' });
  for (const [name, description] of [
    ['price', 'The price of an item in euros.'],
    ['stock', 'How many of an item there are.'],
  ])
    server.registerTool(name, { description, inputSchema }, ({ market, item }) => ({
      content: [{ type: 'text', text: String(valueOf(name, market, item)) }],
    }));
  return server;
});
