// Plays tasks with the agent at a recording server, a rollout each: node play.mjs SERVER [TIMES]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [server, times = '1'] = process.argv.slice(2);
const tasks = readFileSync(new URL('tasks.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const agent = fileURLToPath(new URL('agent.mjs', import.meta.url));

async function post(url, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${url}: status ${response.status}: ${await response.text()}`);
  return response.json();
}

for (const task of Array.from({ length: Number(times) }, () => tasks).flat()) {
  const { base_url, api_key, url } = await post(`${server}/rollouts`, {});
  const variables = { BOWYER_TASK: task, OPENAI_BASE_URL: base_url, OPENAI_API_KEY: api_key, BOWYER_ROLLOUT_URL: url };
  const child = spawn(process.execPath, [agent], { stdio: 'inherit', env: { ...process.env, ...variables } });
  const [code] = await once(child, 'exit');
  await post(`${url}/end`, code === 0 ? {} : { status: 'failed', reason: `exit code ${code}` });
}
