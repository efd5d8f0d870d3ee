// The client of the conformance suite: an environment of the suite's server, played by a scripted expert.
//   npm run conformance --prefix benchmarks/mcp
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeEnv } from '@bowyer/envs';

/** The call that a scenario waits for. */
const calls: Readonly<Record<string, object>> = {
  tools_call: { name: 'add_numbers', arguments: { a: 5, b: 3 } },
  'elicitation-sep1034-client-defaults': { name: 'test_client_elicitation_defaults', arguments: {} },
  'sse-retry': { name: 'test_reconnection', arguments: {} },
};

const call = calls[process.env.MCP_CONFORMANCE_SCENARIO ?? ''];
const folder = mkdtempSync(join(tmpdir(), 'bowyer-conformance-'));
const tasks = join(folder, 'tasks.jsonl');
const expert = [...(call ? [call] : []), { answer: 'done' }];
writeFileSync(tasks, JSON.stringify({ id: 'one', prompt: 'Play.', answer: 'done', expert }));
const env = makeEnv('mcp', { url: process.argv.at(-1)!, tasks });
try {
  await env.reset();
  for (let reply = env.expertReply!(); reply !== null; reply = env.expertReply!()) {
    const { observation, terminated } = await env.step(reply);
    if (observation !== '') console.log(observation);
    if (terminated) break;
  }
} finally {
  await env.close();
  rmSync(folder, { recursive: true });
}
