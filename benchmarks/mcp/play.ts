// Plays published MCP servers from npm with a scripted expert through env=mcp.
//   npm ci --ignore-scripts --prefix benchmarks/mcp && npm run play --prefix benchmarks/mcp
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeEnv } from '@bowyer/envs';

const server = (name: string) =>
  join('benchmarks', 'mcp', 'node_modules', '@modelcontextprotocol', name, 'dist', 'index.js');
const absolute = (name: string) => join(process.cwd(), server(name));

const entity = { name: 'Bow', entityType: 'tool', observations: ['made of yew'] };

const games = [
  {
    name: 'filesystem',
    options: { command: ['node', absolute('server-filesystem'), '{folder}'], folder: '/workspace' },
    task: {
      prompt: 'Copy the first line of /workspace/notes.txt into /workspace/first.txt.',
      files: { 'notes.txt': 'yew\nash\n' },
      expert: [
        { name: 'read_text_file', arguments: { path: '/workspace/notes.txt', head: 1 } },
        { name: 'write_file', arguments: { path: '/workspace/first.txt', content: 'yew' } },
        { name: 'list_directory', arguments: { path: '/workspace' } },
        { name: 'read_text_file', arguments: { path: '/etc/passwd' } },
      ],
    },
  },
  {
    name: 'memory',
    options: { command: ['node', absolute('server-memory')] },
    task: {
      prompt: 'Note that the bow is made of yew.',
      expert: [
        { name: 'create_entities', arguments: { entities: [entity] } },
        { name: 'search_nodes', arguments: { query: 'yew' } },
        { name: 'delete_entities', arguments: { entityNames: ['Bow'] } },
      ],
    },
  },
  {
    name: 'everything',
    options: { command: ['node', absolute('server-everything'), 'stdio'] },
    task: {
      prompt: 'Try the tools.',
      expert: [
        { name: 'echo', arguments: { message: 'hello' } },
        { name: 'get-sum', arguments: { a: 2, b: 3 } },
        { name: 'get-tiny-image', arguments: {} },
        { name: 'get-structured-content', arguments: { location: 'New York' } },
        { name: 'get-resource-links', arguments: { count: 1 } },
      ],
    },
  },
];

const folder = mkdtempSync(join(tmpdir(), 'bowyer-play-'));
try {
  for (const { name, options, task } of games) {
    const tasks = join(folder, `${name}.jsonl`);
    const expert = [...task.expert, { answer: 'done' }];
    writeFileSync(tasks, JSON.stringify({ id: name, answer: 'done', ...task, expert }));
    console.log(`\n== ${name}`);
    await play({ ...options, tasks, showTools: 'names' });
  }
} finally {
  rmSync(folder, { recursive: true });
}

async function play(options: Record<string, unknown>): Promise<void> {
  const env = makeEnv('mcp', options);
  try {
    console.log((await env.reset()).observation);
    for (let reply = env.expertReply!(); reply !== null; reply = env.expertReply!()) {
      const { observation, reward, terminated } = await env.step(reply);
      console.log(`> ${reply}\n${terminated ? `reward ${reward}` : observation}`);
      if (terminated) return;
    }
  } finally {
    await env.close();
  }
}
