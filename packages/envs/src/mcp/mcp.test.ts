import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '@bowyer/testing';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { defaultsOf } from '../option.js';
import { commandWords } from './command-line.js';
import { EpisodeFolder } from './episode-folder.js';
import { formAnswer } from './form-answer.js';
import { McpEnv } from './mcp-env.js';
import { mcpSchema, type McpOptions } from './options.js';
import { readReply, writeReply } from './replies.js';
import { mcpTasks } from './task-file.js';
import { mcpUnit } from './unit.js';

const SHOP = fileURLToPath(new URL('../../src/mcp/fixtures/shop-server.mjs', import.meta.url));

const folder = newFolder();

function file(name: string, ...lines: (object | string)[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return path;
}

const options = (given: Partial<McpOptions>) => ({ ...defaultsOf(mcpSchema), ...given });

const call = (name: string, given: object = {}) => JSON.stringify({ name, arguments: given });

const pear = {
  id: 'pear',
  prompt: 'What is the price of a pear?',
  answer: 4,
  expert: [{ name: 'price', arguments: { item: 'pear' } }, { answer: '4' }],
};

describe('over stdio', () => {
  const tasks = () =>
    file(
      'shop.jsonl',
      { ...pear, resources: ['shop://opening'], files: { 'hours.txt': 'open at /workspace' } },
      { id: 'note', prompt: 'Note the price of a plum in /workspace/plum.txt.', answer: 'done' },
    );
  const shop = () =>
    options({
      command: ['node', SHOP],
      args: ['{folder}/hours.txt'],
      folder: '/workspace',
      tasks: tasks(),
      maxTurns: 5,
      checker: file(
        'checker.mjs',
        `export default async ({ task, answer, transcript, folder, callTool }) => ({
           reward: answer === String(task.answer) ? 1 : 0.25,
           turns: transcript.length,
           plum: (await callTool('price', { item: 'plum' })).text,
           folder,
         });`,
      ),
    });

  test('an episode: tools, resources, calls, wrong calls, media in words, and the reward of a checker', async () => {
    const env = new McpEnv(shop());
    try {
      const start = await env.reset({ task: 'pear' });
      expect(start.observation).toMatch(/^Prices are in euros\.\n\nYou may call these tools:\n\{"name": "price", /);
      expect(start.observation).toContain(
        '<resource uri="shop://opening">\nopen at /workspace\n</resource>\n\nWhat is the price of a pear?',
      );
      const observe = async (action: string) => (await env.step(action)).observation;
      expect(await observe('A pear, please.')).toMatch(/^The reply is not a JSON object; write one JSON object: /);
      expect(await observe(call('prize'))).toBe("There is no tool 'prize'; the tools are price, note, crash, sleep.");
      expect(await observe(call('price'))).toBe(
        "The arguments of price are not valid: arguments must have required property 'item'.",
      );
      expect(env.expertReply()).toBe('{"name": "price", "arguments": {"item": "pear"}}');
      expect(await observe(env.expertReply()!)).toBe('4');
      const { info, ...end } = await env.step(env.expertReply()!);
      expect(end).toEqual({ observation: '', reward: 1, terminated: true, truncated: false });
      expect(info).toMatchObject({ item: 'pear', won: true, components: { turns: 5, plum: '2' } });
      const own = (info.components as { folder: string }).folder;
      expect(existsSync(join(own, 'hours.txt'))).toBe(true);

      await env.reset({ task: 'note' });
      expect(existsSync(own)).toBe(false);
      const written = { path: '/workspace/plum.txt', text: '2' };
      expect(await observe(call('note', written))).toBe('wrote /workspace/plum.txt\n(image image/png, 3 bytes)');
      expect(await observe(call('price', { item: 'nail' }))).toBe('Error: no nail is sold here');
      for (let turn = 2; turn < 4; turn++) await observe('x');
      expect(await env.step('x')).toMatchObject({ reward: 0.25, terminated: false, truncated: true });
    } finally {
      await env.close();
    }
  });

  test('a server that ends or does not answer is an error with its name and its stderr', async () => {
    const env = new McpEnv({ ...shop(), timeoutMs: 1_000 });
    try {
      await env.reset({ task: 'note' });
      await expect(env.step(call('crash'))).rejects.toThrow(
        /^mcp: the server node \S+shop-server\.mjs \{folder\}\/hours\.txt: the call of crash failed: .*\n {2}its stderr ends with:\n {4}out of fruit$/,
      );
      await env.reset({ task: 'note' });
      await expect(env.step(call('sleep'))).rejects.toThrow(/the call of sleep failed: Request timed out/);
    } finally {
      await env.close();
    }
    const lacking = new McpEnv({ ...shop(), tools: ['prices'] });
    await expect(lacking.reset()).rejects.toThrow("has no tool 'prices', which env.tools names; did you mean price?");
    const broken = new McpEnv({ ...shop(), command: ['node', '--eval', 'throw new Error("no stock")'], args: [] });
    await expect(broken.reset()).rejects.toThrow(/it did not start: [^]*no stock/);
    const deep = new McpEnv({ ...shop(), command: ['node', file('deep.mjs', DEEP_TOOL)] });
    await expect(deep.reset()).rejects.toThrow('what it sent has too many lists and objects within each other');
    const absent = new McpEnv({ ...shop(), command: null, url: await closedAddress(), args: [], folder: null });
    await expect(absent.reset()).rejects.toThrow(/it did not start: .*fetch failed.*ECONNREFUSED/);
  });
});

/** Returns an address at which nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/mcp`;
}

/** A server whose one tool has a schema of 20,000 levels. */
const DEEP_TOOL = `
import { createInterface } from 'node:readline';
const answer = (id, result) => console.log(\`{"jsonrpc":"2.0","id":\${id},"result":\${result}}\`);
const schema = '{"type":"object","properties":{"a":'.repeat(20000) + '{}' + '}}'.repeat(20000);
for await (const line of createInterface({ input: process.stdin })) {
  const { id: given, method } = JSON.parse(line);
  const id = JSON.stringify(given);
  if (method === 'initialize')
    answer(id, '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"deep","version":"1"}}');
  else if (method === 'tools/list') answer(id, \`{"tools":[{"name":"t","inputSchema":\${schema}}]}\`);
  else if (id !== undefined) console.log(\`{"jsonrpc":"2.0","id":\${id},"error":{"code":-32601,"message":"unknown"}}\`);
}`;

/** Writes a module that records each start in a file. */
function counted(name: string, ...program: string[]): { command: string[]; starts: () => number } {
  const starts = file(`${name}.starts`);
  const note = `import { appendFileSync } from 'node:fs';\nappendFileSync(${JSON.stringify(starts)}, 'x');`;
  return { command: ['node', file(`${name}.mjs`, note, ...program)], starts: () => readFileSync(starts).length };
}

test('a shared server starts once for all episodes of an environment', async () => {
  const { command, starts } = counted('shop', `await import(${JSON.stringify(SHOP)});`);
  const shop = options({ command, isolate: 'shared', tasks: file('shared.jsonl', pear) });
  expect((await mcpUnit.demonstrations!.make(shop, { count: 3, seed: 1 })).demonstrations).toHaveLength(3);
  expect(starts()).toBe(1);
});

test('a server that ends when it is asked for its protocol starts once more, and is not asked again', async () => {
  const old = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'old', version: '1' } };
  const { command, starts } = counted(
    'old',
    `process.stdin.on('data', (line) => {
       const { id, method } = JSON.parse(line);
       if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: ${JSON.stringify(old)} }));
       else if (id !== undefined) process.exit(1);
     });`,
  );
  const env = new McpEnv(options({ command, tasks: file('old.jsonl', { ...pear, expert: undefined }) }));
  expect((await env.reset()).observation).toContain(pear.prompt);
  expect(starts()).toBe(2);
  await env.reset();
  expect(starts()).toBe(3);
  await env.close();
});

describe('over HTTP, shared', () => {
  let server: Server;
  let url: string;
  let sessions = 0;

  beforeAll(async () => {
    const item = fromJsonSchema<{ item: string }>({ type: 'object', properties: { item: { type: 'string' } } });
    const handler = createMcpHandler(() => {
      sessions++;
      const shop = new McpServer({ name: 'shop', version: '1.0.0' });
      shop.registerTool('price', { inputSchema: item }, () => ({ content: [{ type: 'text', text: '4' }] }));
      return shop;
    });
    const used = new Set<object>();
    server = createServer((request, response) => {
      // As a server that closes a connection, which was idle, just as the next request comes.
      if (used.has(request.socket)) return void request.socket.resetAndDestroy();
      used.add(request.socket);
      void (async () => {
        const pieces: Buffer[] = [];
        for await (const piece of request) pieces.push(piece as Buffer);
        const body = pieces.length > 0 ? { body: Buffer.concat(pieces) } : {};
        const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
        const answer = await handler.fetch(new Request(url, { method: request.method, headers, ...body }));
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.end(Buffer.from(await answer.arrayBuffer()));
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  afterAll(() => server.close());

  test('the expert of a task is imitated, and the answer is matched', async () => {
    const shop = options({ url, isolate: 'shared', tasks: file('http.jsonl', pear), callFormat: 'hermes' });
    const { demonstrations } = await mcpUnit.demonstrations!.make(shop, { count: 2, seed: 1 });
    expect(sessions).toBeGreaterThan(0);
    expect(demonstrations).toHaveLength(2);
    const env = new McpEnv(shop);
    await env.reset();
    const block = '<tool_call>\n{"name": "price", "arguments": {"item": "pear"}}\n</tool_call>';
    expect((await env.step(block)).observation).toBe('<tool_response>\n4\n</tool_response>');
    expect(await env.step('5')).toMatchObject({ reward: 0, terminated: true, info: { won: false, answer: '5' } });
    await env.close();
  });
});

test.each([
  ['json', '<think>dear?</think>{"name": "f"}', { calls: [{ name: 'f', arguments: {} }] }],
  ['json', '```json\n{"answer": 4}\n```', { answer: '4' }],
  ['json', '{"name": "f", "answer": "4"}', { fault: expect.stringMatching(/both a name and an answer/) as string }],
  ['json', '{"name": "f", "arguments": [1]}', { fault: expect.stringMatching(/not a call/) as string }],
  ['hermes', ' four ', { answer: 'four' }],
  [
    'hermes',
    'So:<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>',
    { calls: [{ name: 'f', arguments: { x: 1 } }] },
  ],
  ['json', '{"answer": 7318204915520000013}', { answer: '7318204915520000013' }],
  ['json', '{ "answer" : [ 2.50, {"a b": 1e400}, "\\u00e9 x" ] }', { answer: '[2.50,{"a b":1e400},"é x"]' }],
  ['json', '{"answer": {"x": "}"}, "note": 1}', { answer: '{"x":"}"}' }],
  [
    'json',
    '{"answer": "thoughts end with </think>, calls with <think>"}',
    { answer: 'thoughts end with </think>, calls with <think>' },
  ],
  [
    'json',
    '<think>{"answer": 1}</think>\n```json\n{"name": "f", "arguments": {"t": "</think>"}}\n```',
    { calls: [{ name: 'f', arguments: { t: '</think>' } }] },
  ],
  ['json', '<think>{"answer": 1}', { fault: 'The reply ends within its thoughts.' }],
  [
    'json',
    '{"name": "f", "arguments": {"n": 1e400}}',
    { fault: 'The call of f cannot be sent: 1e400 has more digits than a number keeps; write it as a text.' },
  ],
  [
    'json',
    '{"name": "f", "arguments": {"n": [9007199254740993]}}',
    { fault: expect.stringContaining('9007199254740993') as string },
  ],
  [
    'json',
    '{"name": "f", "arguments": {"n": 0.12345678901234567891}}',
    { fault: expect.stringContaining('cannot be sent') as string },
  ],
  [
    'json',
    '{"name": "f", "arguments": {"n": [1.50, -0, 1e3, 9007199254740992, 0.1], "t": "9007199254740993"}}',
    { calls: [{ name: 'f', arguments: { n: [1.5, -0, 1000, 9007199254740992, 0.1], t: '9007199254740993' } }] },
  ],
  [
    'hermes',
    '<tool_call>\n{"name": "f", "arguments": {"t": "ends with </tool_call>."}}\n</tool_call>',
    { calls: [{ name: 'f', arguments: { t: 'ends with </tool_call>.' } }] },
  ],
  [
    'hermes',
    '<think>a <tool_call> is {"name"</think>\n<tool_call>{"name": "f", "arguments": {"t": "<think> \\"</think> <tool_call>"}}</tool_call>\n<tool_call>{"name": "g"}</tool_call>',
    {
      calls: [
        { name: 'f', arguments: { t: '<think> "</think> <tool_call>' } },
        { name: 'g', arguments: {} },
      ],
    },
  ],
  ['hermes', '<think><tool_call>{"name": "f"}</tool_call></think>four', { answer: 'four' }],
  ['hermes', '<think><tool_call>{"name": "f"}</tool_call>', { fault: 'The reply ends within its thoughts.' }],
  [
    'hermes',
    '<tool_call>{"name": "f"} and so on</tool_call>',
    { fault: expect.stringMatching(/not a call/) as string },
  ],
  [
    'hermes',
    '<tool_call>{"name": "f", "arguments": {"n": 7318204915520000013}}</tool_call>',
    { fault: expect.stringContaining('7318204915520000013') as string },
  ],
  ['hermes', '\ue0000\ue000 <tool_call>{"name": "f"}</tool_call>', { calls: [{ name: 'f', arguments: {} }] }],
  ['hermes', '<tool_call>{"name": "f"}', { fault: 'A call lacks <tool_call> or </tool_call>.' }],
] as const)('%s: %j', (format, text, reply) => {
  expect(readReply(text, format)).toEqual(reply);
});

test('replies of an expert are read as they were meant', () => {
  const step = { name: 'f', arguments: { list: [1, 'a b'], text: '"', none: null } };
  for (const format of ['json', 'hermes'] as const) {
    expect(readReply(writeReply(step, format), format)).toEqual({ calls: [step] });
    expect(readReply(writeReply({ answer: '4 "x"' }, format), format)).toEqual({ answer: '4 "x"' });
  }
});

test('the name of the folder is its path in calls, where it stands alone or begins a path', async () => {
  const own = await EpisodeFolder.make('/work', {});
  const { path } = own;
  expect(own.inside({ a: ['/work/x', 'in /work.', 'file:///work/x'], b: '/workshop /a/work' })).toEqual({
    a: [`${path}/x`, `in ${path}.`, `file://${path}/x`],
    b: '/workshop /a/work',
  });
  expect(own.outside(`wrote ${path}/x`)).toBe('wrote /work/x');
  await own.remove();
});

test('a form is answered by its defaults, and declined where a required field has none', () => {
  const form = (required: string[]) => ({
    message: 'How many?',
    requestedSchema: {
      type: 'object' as const,
      properties: { count: { type: 'integer' as const, default: 2 }, name: { type: 'string' as const } },
      required,
    },
  });
  expect(formAnswer(form(['count']))).toEqual({ action: 'accept', content: { count: 2 } });
  expect(formAnswer(form(['name']))).toEqual({ action: 'decline' });
});

test('a command is split without a shell', () => {
  expect(commandWords(`npx -y "a b"/'c d' $HOME *`)).toEqual(['npx', '-y', 'a b/c d', '$HOME', '*']);
  expect(() => commandWords('npx "a')).toThrow('a quote has no end in: npx "a');
});

test('rows that cannot be used are named all at once', () => {
  const path = file('faults.jsonl', { id: 1, prompt: 'a', answr: 2 }, pear, pear, {
    ...pear,
    id: 2,
    files: { '../x': '' },
  });
  expect(() => mcpTasks(path, false)).toThrow(
    [
      `mcp: ${path} cannot be used`,
      "  line 1: nothing reads its field 'answr'; did you mean answer? Fields of other names are for a checker (env.checker)",
      '  line 3: the id "pear" is that of line 2',
      "  line 4: the file '../x' must have a path within the folder of the episode",
    ].join('\n'),
  );
});

test('unusable options are refused with the key to change', () => {
  const tasks = file('plain.jsonl', pear);
  const keys = (given: Partial<McpOptions>) =>
    mcpUnit.config!.problems!(options({ tasks, ...given })).map(({ key }) => key);
  expect(keys({ command: 'node x' })).toEqual([]);
  expect(keys({})).toEqual(['env.command']);
  expect(keys({ url: 'ftp://x' })).toEqual(['env.url']);
  expect(keys({ command: "node 'x" })).toEqual(['env.command']);
  expect(keys({ command: 'node {folder}' })).toEqual(['env.folder']);
  expect(keys({ command: 'node', environment: ['NOT_SET_ANYWHERE'] })).toEqual(['env.environment']);
  expect(keys({ command: 'node', tasks: null, checker: join(folder, 'none.mjs') })).toEqual([
    'env.tasks',
    'env.checker',
  ]);
});
