// Tests `run --config-name serve_env` as a user starts it. Our client plays, and SIGTERM stops the server.
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { agentGymEnv } from '@bowyer/envs';
import { startServer } from './started-server.js';
import { newFolder } from '@bowyer/testing';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

const program = ['packages/runner/bin/bowyer.js', '--config-name', 'serve_env'];

test('plays with the MCP client that starts it, on standard output alone', async () => {
  const save = newFolder();
  const words = ['env=maze', 'protocol=mcp', 'transport=stdio', `save_path=${save}`, `hydra.run.dir=${save}`];
  const args = [...program, ...words];
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd: repository, stderr: 'pipe' });
  let [logged, strayed] = ['', ''];
  transport.stderr!.on('data', (piece: Buffer) => (logged += piece.toString()));
  const client = new Client({ name: 'player', version: '1' });
  client.onerror = ({ message }) => (strayed += message); // lines that do not belong to the protocol
  await client.connect(transport, { timeout: 120_000 });
  const call = async (name: string, given: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: given })).structuredContent as Record<string, unknown>;
  expect((await call('reset', { item: 17 })).observation).toMatch(/position 6, 6/);
  await call('step', { action: 'move down' });
  expect(await call('step', { action: 'move down' })).toMatchObject({ terminated: true, won: true, return: -1 });
  await client.close();
  expect(strayed).toBe('');
  expect(logged).toContain('maze is served on standard input and output');
});

test('serves a maze over AgentGym’s protocol and stops gracefully', async () => {
  const save = newFolder();
  const words = ['env=maze', 'port=0', `save_path=${save}`, `hydra.run.dir=${save}`];
  const server = await startServer(['--config-name', 'serve_env', ...words]);
  expect(await (await fetch(new URL('/', server.url))).json()).toBe('This is environment LMRL-Gym.');
  const env = agentGymEnv('maze', { baseUrl: new URL(server.url).origin, instructions: false });
  const { observation } = await env.reset({ dataIdx: 17 });
  expect(observation).toMatch(/current position is at position 6, 6/);
  await env.step('Thought:\nDown.\n\nAction:\nmove down');
  expect(await env.step('Action: move down')).toMatchObject({ reward: 1, terminated: true, info: { won: true } });
  await env.close();
  expect(await server.stop()).toBe(0);
  expect(server.said()).toContain('the server stops when every request is answered; again to leave immediately');
  expect(server.said()).toContain('stopped: every request is answered');
});
