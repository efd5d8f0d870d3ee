import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordAgent } from '../src/index.js';
import { answerTo, tasks } from './colour-agent.js';

/** An endpoint that says the colour it is asked for, and green in place of black. */
const expert = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { messages } = JSON.parse(Buffer.concat(parts).toString()) as { messages: [{ content: string }] };
    const content = messages[0].content.replace('say ', '').replace('black', 'green');
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 0, model: 'expert', choices }));
  });
});
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'record-agent-'));
  await new Promise<void>((resolve) => expert.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  expert.close();
  await rm(folder, { recursive: true });
});

test('conversations of rollouts with enough reward are data to imitate', async () => {
  const { rollouts, failures, conversations } = await recordAgent({
    upstream: `http://127.0.0.1:${(expert.address() as AddressInfo).port}/v1`,
    upstreamKey: 'secret',
    tasks,
    savePath: folder,
    minReward: 1,
    concurrency: 3,
    run: async (task, context) => {
      if (task.id === 'red-0') throw new Error('crash');
      return answerTo(task, context);
    },
    reward: (task, { result }) => Number(result === task.shown),
  });
  expect(failures.map(({ task, error }) => [task, error.message])).toEqual([['red-0', 'crash']]);
  expect(rollouts).toHaveLength(tasks.length - 1);
  const lines = (await readFile(conversations, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toHaveLength(8); // of 12 tasks three are black, and one has crashed
  expect(lines).toContainEqual({
    messages: [
      { role: 'user', content: 'say blue' },
      { role: 'assistant', content: 'blue' },
    ],
  });
});
