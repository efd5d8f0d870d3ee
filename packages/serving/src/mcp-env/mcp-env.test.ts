// Tests the MCP server of environments: the official MCP client plays whole episodes, over HTTP and over a pipe.
import { PassThrough } from 'node:stream';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { makeEnv, type Env } from '@bowyer/envs';
import type { McpEnvServer } from './mcp-env-server.js';
import { serveMcpEnv, serveMcpPipe, type ServedEnvOptions, type ServeMcpEnvOptions } from './serve-mcp-env.js';

const limits = { host: '127.0.0.1', port: 0, apiKey: null, maxInstances: 4, idleMs: 60_000 };
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const subset = { name: 'twenty_questions', options: { words: 'subset10' } };
const textcraft = { name: 'textcraft', options: { observation: 'turn' } };

async function serve(served: ServedEnvOptions, more: Partial<ServeMcpEnvOptions> = {}): Promise<McpEnvServer> {
  const server = await serveMcpEnv({ ...limits, ...served, ...more });
  open.push(server);
  return server;
}

async function connected(transport: Transport, mode: 'legacy' | { pin: string } = 'legacy'): Promise<Client> {
  const client = new Client({ name: 'expert', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  open.push(client);
  return client;
}

const http = ({ url }: McpEnvServer, headers: Record<string, string> = {}) =>
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });

/** Serves over a pipe, and returns the client's transport at its other end. */
async function piped(served: ServedEnvOptions): Promise<Transport> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  open.push(await serveMcpPipe(served, { input, output }));
  return new StdioServerTransport(output, input);
}

interface Result {
  isError?: boolean;
  text: string;
  content: Record<string, unknown>;
}

async function call(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Result> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: given });
  const text = content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n');
  return { isError, text, content: (structuredContent ?? {}) as Record<string, unknown> };
}

/** Returns a function that returns the next question of 20 questions, about one object after another. */
const asksInTurn = () => {
  const words = ['football', 'dog', 'banana', 'truck', 'pants', 'computer', 'piano', 'chair', 'pen', 'carrot'];
  return () => `Is it a ${words.shift()}?`;
};

/**
 * Plays the same actions through the client and in a twin environment, and checks that all results are equal. @returns the
 * episode's return
 */
async function playBoth(client: Client, twin: Env, act: () => string, episode: object = {}): Promise<number> {
  for (let turn = 0, sum = 0; turn < 100; turn++) {
    const action = act();
    const { observation, reward, terminated, truncated } = await twin.step(action);
    const { content } = await call(client, 'step', { action, ...episode });
    expect(content).toMatchObject({ observation, reward, terminated, truncated, steps: turn + 1 });
    sum += reward;
    expect(content.return).toBe(sum);
    if (terminated || truncated) return sum;
  }
  throw new Error('the episode does not end');
}

test.each([
  ['HTTP', async (served: ServedEnvOptions) => http(await serve(served))],
  ['a pipe', piped],
])('experts win over %s with the return that they have here', async (_, transportFor) => {
  const crafting = await connected(await transportFor(textcraft));
  const twin = makeEnv('textcraft', textcraft.options);
  open.push(twin);
  for (const item of [3, 40]) {
    const { observation } = await twin.reset({ dataIdx: item } as object);
    expect((await call(crafting, 'reset', { item })).content).toEqual({ observation, seed: null });
    expect(await playBoth(crafting, twin, () => twin.expertReply!()!)).toBe(1);
  }
  const asking = await connected(await transportFor(subset));
  const questions = makeEnv('twenty_questions', subset.options);
  open.push(questions);
  const { observation } = await questions.reset({ seed: 7 });
  expect((await call(asking, 'reset', { seed: 7 })).content).toEqual({ observation, seed: 7 });
  expect(await playBoth(asking, questions, asksInTurn())).toBeGreaterThan(-10);
});

test('a client of 2026-07-28 names its episode, as there are no sessions', async () => {
  const server = await serve(textcraft, { maxInstances: 1 });
  const client = await connected(http(server), { pin: '2026-07-28' });
  expect(client.getInstructions()).toMatch(/Give every further call the `episode`/);
  const twin = makeEnv('textcraft', textcraft.options);
  open.push(twin);
  await twin.reset({ dataIdx: 3 } as object);
  const { episode } = (await call(client, 'reset', { item: 3 })).content;
  expect(await playBoth(client, twin, () => twin.expertReply!()!, { episode })).toBe(1);
  expect(await call(client, 'step', { action: 'inventory', episode: 'x' })).toMatchObject({
    isError: true,
    text: 'There is no episode of this id; it may have been idle. Call reset for another one.',
  });
  expect((await call(client, 'reset')).text).toMatch(/max_instances/);
  expect((await call(client, 'reset', { episode })).content.episode).not.toBe(episode);
  expect(server.players).toBe(1);
});

test('the version that a request names decides about its session, not its method or its headers', async () => {
  const server = await serve(subset);
  const post = async (method: string, headers: Record<string, string>, params: object = {}) => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const clientInfo = { name: 'test', version: '1' };
  const version = '2025-11-25';
  const opened = await post('initialize', {}, { protocolVersion: version, capabilities: {}, clientInfo });
  const id = opened.headers.get('mcp-session-id')!;
  const stateless = (method: string, headers: Record<string, string>) =>
    post(
      method,
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
      {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': clientInfo,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    );
  const removed = await stateless('initialize', {});
  expect([removed.status, JSON.parse(removed.text)]).toMatchObject([404, { id: 1, error: { code: -32_601 } }]);
  for (const session of [id, 'unknown']) {
    const { status, text } = await stateless('tools/list', { 'mcp-session-id': session });
    expect([status, JSON.parse(text)]).toMatchObject([200, { id: 1, result: { resultType: 'complete' } }]);
  }
  const inSession = await post('tools/list', { 'mcp-session-id': id, 'mcp-protocol-version': version });
  expect(inSession.status).toBe(200);
  expect(inSession.text).not.toContain('episode is left'); // a session's tools do not name episodes
  expect(server.players).toBe(1);
});

test('a player is shown the rules, the arguments and what to call after a mistake', async () => {
  const client = await connected(http(await serve(subset, { drawSeed: () => 11 })));
  expect(client.getInstructions()).toMatch(
    /^Text environments to play\. reset begins .*\n\n.*one of these 10 objects/s,
  );
  const { tools } = await client.listTools();
  expect(tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})])).toEqual([
    ['reset', ['seed', 'secret']],
    ['step', ['action']],
  ]);
  const uri = 'bowyer://rules/twenty_questions';
  expect((await client.listResources()).resources).toMatchObject([{ uri, name: 'rules-twenty_questions' }]);
  const [rules] = (await client.readResource({ uri })).contents;
  const [message] = (await client.getPrompt({ name: 'play' })).messages;
  expect(JSON.stringify(message.content)).toContain(JSON.stringify('text' in rules ? rules.text : '').slice(1, -1));
  const mistakes = [
    await call(client, 'step', { action: 'x' }),
    await call(client, 'reset', { secret: 99 }),
    await call(client, 'reset', { item: 1 }),
  ];
  expect(mistakes.every(({ isError }) => isError)).toBe(true);
  expect(mistakes[0].text).toBe('No episode is running. Call reset to begin one.');
  expect(mistakes[1].text).toMatch(/\nCall reset again: with another item or seed, or without arguments\.$/);
  const begun = await call(client, 'reset');
  expect(begun).toMatchObject({ text: 'Questions:\n\n\n[A new episode of seed 11.]', content: { seed: 11 } });
  const act = asksInTurn();
  let last = await call(client, 'step', { action: act() });
  while (last.content.terminated === false) last = await call(client, 'step', { action: act() });
  expect(last.text).toMatch(/\[Reward 0\. The episode (is won|has ended): return -\d after \d+ steps\.\]$/);
  const { isError, text } = await call(client, 'step', { action: 'x' });
  expect(isError).toBe(true);
  expect(text).toMatch(/^The episode has ended after \d+ steps .* Call reset for another one\.$/);
});

test('the environments of a mixture have a tool each', async () => {
  const envs = ['maze', { name: 'textcraft', observation: 'turn' }];
  const client = await connected(http(await serve({ name: 'mixture', options: { envs } })));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(['reset', 'reset_maze', 'reset_textcraft', 'step', 'actions']);
  expect((await call(client, 'reset_maze', { item: 17 })).content.observation).toMatch(/position is at position 6, 6/);
  expect((await call(client, 'actions')).content.actions).toContain('move down');
  expect((await call(client, 'reset_textcraft', { seed: 1 })).content.observation).toMatch(/^Crafting commands/);
  const drawn = [await call(client, 'reset', { seed: 4 }), await call(client, 'reset', { seed: 4 })];
  expect(drawn[0].content).toEqual(drawn[1].content);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
    'bowyer://rules/maze',
    'bowyer://rules/textcraft',
  ]);
});

test('the number of sessions is bounded, a key is required, idle sessions end, and a stop does not wait for clients', async () => {
  const server = await serve(subset, { maxInstances: 1, apiKey: 'secret', idleMs: 2000 });
  const key = { authorization: 'Bearer secret' };
  await expect(connected(http(server))).rejects.toThrow(/You did not provide an API key/);
  const first = await connected(http(server, key));
  await call(first, 'reset');
  await expect(connected(http(server, key))).rejects.toThrow(
    /All places of the server are in use \(task\.max_instances\)/,
  );
  await first.callTool({ name: 'step', arguments: { action: 'Is it a dog?' } });
  while (server.players > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await expect(call(first, 'step', { action: 'x' })).rejects.toThrow(/Session not found; it may have been idle/);
  const second = await connected(http(server, key)); // its stream for the server's messages is open
  await call(second, 'reset');
  await server.close();
});
