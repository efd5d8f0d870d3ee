// A server with the tools, resources and prompts that the conformance suite of MCP asks for by name, behind the same HTTP server,
// sessions and limits as the environments of serve_env: node --conditions=source --import tsx benchmarks/mcp-serve/conformance-server.ts
// Source: the descriptions in @modelcontextprotocol/conformance 0.1.16.
import { fromJsonSchema, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { listenMcp } from '@bowyer/serving';

const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const AUDIO = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

type Schema = Parameters<typeof fromJsonSchema>[0];
const object = (properties: NonNullable<Schema['properties']> = {}, required: string[] = []) =>
  fromJsonSchema<Record<string, unknown>>({ type: 'object', properties, required });

const text = (content: string) => ({ content: [{ type: 'text' as const, text: content }] });
const image = { type: 'image' as const, data: IMAGE, mimeType: 'image/png' };
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

function addContents(server: McpServer): void {
  const inputSchema = object();
  const add = (name: string, content: Parameters<typeof JSON.stringify>[0]) =>
    server.registerTool(name, { description: name, inputSchema }, () => ({ content }));
  const resource = { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource.' };
  const mixed = {
    uri: 'test://mixed-content-resource',
    mimeType: 'application/json',
    text: '{"test":"data","value":123}',
  };
  add('test_simple_text', text('This is a simple text response for testing.').content);
  add('test_image_content', [image]);
  add('test_audio_content', [{ type: 'audio', data: AUDIO, mimeType: 'audio/wav' }]);
  add('test_embedded_resource', [{ type: 'resource', resource }]);
  add('test_multiple_content_types', [
    { type: 'text', text: 'Multiple content types test:' },
    image,
    { type: 'resource', resource: mixed },
  ]);
  server.registerTool('test_error_handling', { description: 'Fails.', inputSchema }, () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  }));
  const schema: Schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  };
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Takes a schema of 2020-12.', inputSchema: fromJsonSchema<Record<string, unknown>>(schema) },
    (given) => text(JSON.stringify(given)),
  );
}

function addMessages(server: McpServer): void {
  const inputSchema = object();
  server.registerTool('test_tool_with_logging', { description: 'Logs.', inputSchema }, async (_, { mcpReq }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', data);
      await pause();
    }
    return text('Tool with logging executed successfully');
  });
  server.registerTool('test_tool_with_progress', { description: 'Progress.', inputSchema }, async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken: progressToken!, progress, total: 100, message: `Completed ${progress} of 100` };
      await mcpReq.notify({ method: 'notifications/progress', params });
      await pause();
    }
    return text(String(progressToken ?? 'no progress token'));
  });
  server.registerTool('test_reconnection', { description: 'Waits.', inputSchema }, async () => {
    await pause();
    return text('Reconnection test completed successfully.');
  });
  const prompt = object({ prompt: { type: 'string' } }, ['prompt']);
  server.registerTool('test_sampling', { description: 'Samples.', inputSchema: prompt }, async (given, { mcpReq }) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: String(given.prompt) } }];
    const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
    const [part] = [content].flat();
    return text(`LLM response: ${part.type === 'text' ? part.text : 'no text'}`);
  });
}

type Fields = Parameters<typeof fromJsonSchema>[0];

function addElicitations(server: McpServer): void {
  const add = (name: string, properties: Fields['properties'], required: string[], taken = object()) =>
    server.registerTool(name, { description: name, inputSchema: taken }, async (given, { mcpReq }) => {
      const message = String(given.message ?? 'Please fill in the form');
      const asked = { message, requestedSchema: { type: 'object', properties, required } };
      const { action, content } = await mcpReq.elicitInput(asked as Parameters<typeof mcpReq.elicitInput>[0]);
      return text(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`);
    });
  const field = (type: 'string', description: string) => ({ type, description });
  add(
    'test_elicitation',
    { username: field('string', "User's response"), email: field('string', "User's email address") },
    ['username', 'email'],
    object({ message: { type: 'string' } }, ['message']),
  );
  add(
    'test_elicitation_sep1034_defaults',
    {
      name: { type: 'string', description: 'User name', default: 'John Doe' },
      age: { type: 'integer', description: 'User age', default: 30 },
      score: { type: 'number', description: 'User score', default: 95.5 },
      status: { type: 'string', description: 'Status', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', description: 'Verified', default: true },
    },
    [],
  );
  const options = ['option1', 'option2', 'option3'];
  const titled = options.map((value, i) => ({ const: `value${i + 1}`, title: `Option ${i + 1}`, _: value }));
  const oneOf = titled.map(({ _, ...each }) => each);
  add(
    'test_elicitation_sep1330_enums',
    {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: oneOf } },
    } as Fields['properties'],
    [],
  );
}

function addResources(server: McpServer): void {
  const plain = { mimeType: 'text/plain' };
  const uri = 'test://static-text';
  server.registerResource('static-text', uri, plain, () => ({
    contents: [{ uri, ...plain, text: 'This is the content of the static text resource.' }],
  }));
  const binary = 'test://static-binary';
  server.registerResource('static-binary', binary, { mimeType: 'image/png' }, () => ({
    contents: [{ uri: binary, mimeType: 'image/png', blob: IMAGE }],
  }));
  const watched = 'test://watched-resource';
  server.registerResource('watched', watched, plain, () => ({
    contents: [{ uri: watched, ...plain, text: 'watched' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  const json = { mimeType: 'application/json' };
  server.registerResource('template', template, json, (asked, { id }) => ({
    contents: [
      {
        uri: asked.href,
        ...json,
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }));
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const)
    server.server.setRequestHandler(method, () => ({}));
}

function addPrompts(server: McpServer): void {
  const user = (content: object) => ({ role: 'user' as const, content });
  const says = (words: string) => user({ type: 'text', text: words });
  const add = (name: string, taken: string[], messages: (given: Record<string, unknown>) => object[]) => {
    const argsSchema = object(Object.fromEntries(taken.map((key) => [key, { type: 'string' }])), taken);
    server.registerPrompt(name, { description: name, argsSchema }, (given) => ({
      messages: messages(given) as never[],
    }));
  };
  add('test_simple_prompt', [], () => [says('This is a simple prompt for testing.')]);
  add('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) => [
    says(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`),
  ]);
  add('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri: uri }) => [
    user({
      type: 'resource',
      resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
    }),
    says('Please process the embedded resource above.'),
  ]);
  add('test_prompt_with_image', [], () => [user(image), says('Please analyze the image above.')]);
}

function conformanceServer(): McpServer {
  const capabilities = { logging: {}, completions: {}, resources: { subscribe: true } };
  const server = new McpServer({ name: 'bowyer-conformance', version: '0.2.0' }, { capabilities });
  for (const add of [addContents, addMessages, addElicitations, addResources, addPrompts]) add(server);
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }));
  return server;
}

const { url } = await listenMcp({
  host: '127.0.0.1',
  port: Number(process.argv[2] ?? 3010),
  apiKey: null,
  idleMs: 60_000,
  isFull: () => false,
  open: () => ({ server: conformanceServer(), close: () => Promise.resolve() }),
});
console.log(url);
