// A recording server under load is killed by SIGKILL at random instants of its CPU time. Clients stream answers and send rewards, and
// note each request whose last byte they saw. After each kill the log is opened again: everything that was acknowledged must be there
// once, as it was sent. The model is a scripted one; server, protocols, recorder and log are those that are shipped.
//   node --conditions=source --import tsx packages/rollouts/benchmarks/killed-recorder.ts [KILLS]
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Rng } from '@bowyer/core';
import { RolloutLog, type RecordedRollout } from '../src/index.js';

const CLIENTS = 8;
const kills = Number(process.argv[2] ?? '200');
const folder = mkdtempSync(join(tmpdir(), 'killed-recorder-'));
const rng = new Rng(Date.now() % 2 ** 32);

/** One file, so that a process that is killed soon spends its time on requests. */
async function bundled(): Promise<string> {
  const outfile = fileURLToPath(new URL('../node_modules/.killed-recorder/child.mjs', import.meta.url));
  await build({
    entryPoints: [fileURLToPath(new URL('recorder/child.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    external: ['onnxruntime-node', 'ajv', 'tsx', 'esbuild'],
    logLevel: 'error',
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
  });
  return outfile;
}

/** Milliseconds of CPU time, from Linux' /proc. */
function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** A call or a reward whose end a client has seen. */
interface Acknowledged {
  rollout: string;
  /** The text of the answer to the call with this question, or the key of a reward. */
  question?: string;
  text?: string;
  reward?: string;
}

const acknowledged: Acknowledged[] = [];
let asked = 0;

/** Rollouts of four calls with their histories, each call followed by a reward, until the server is gone. */
async function play(origin: string, client: string): Promise<void> {
  for (let number = 0; ; number++) {
    const rollout = `${client}-${number}`;
    const url = `${origin}/rollouts/${rollout}`;
    const messages: object[] = [];
    for (let call = 0; call < 4; call++) {
      const question = `w${call} ${rollout}.${call}`;
      messages.push({ role: 'user', content: question });
      asked++;
      const text = await streamed(`${url}/v1/chat/completions`, { model: 'scripted', messages, stream: true });
      acknowledged.push({ rollout, question, text });
      messages.push({ role: 'assistant', content: text });
      const reward = `${rollout}.${call}`;
      await posted(`${url}/rewards`, { value: call, call, key: reward });
      acknowledged.push({ rollout, reward });
    }
    await posted(`${url}/end`, {});
  }
}

async function posted(url: string, json: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(json) });
  const text = await response.text(); // throws where the connection broke
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${text}`);
  return text;
}

async function streamed(url: string, json: object): Promise<string> {
  const events = (await posted(url, json)).trim().split('\n\n');
  if (events.pop() !== 'data: [DONE]') throw new Error('the stream has no end');
  const pieces = events.map((event) => JSON.parse(event.slice(6)) as { choices: { delta: { content?: string } }[] });
  return pieces.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
}

const counts = { acknowledged: 0, found: 0, missing: 0, doubled: 0, altered: 0, cut: 0 };

/** Looks for what was acknowledged since the last kill. */
async function check(log: RolloutLog): Promise<void> {
  const read = new Map<string, RecordedRollout>();
  for (const each of acknowledged.splice(0)) {
    counts.acknowledged++;
    const rollout = read.get(each.rollout) ?? (await log.read(each.rollout));
    if (rollout) read.set(each.rollout, rollout);
    const isQuestion = (messages: unknown[]) =>
      (messages.at(-1) as { content: string } | undefined)?.content === each.question;
    const calls = each.question === undefined ? [] : rollout?.calls.filter((call) => isQuestion(call.messages));
    const rewards = each.reward === undefined ? [] : rollout?.rewards.filter(({ key }) => key === each.reward);
    const found = (calls?.length ?? 0) + (rewards?.length ?? 0);
    if (found > 0) counts.found++;
    else counts.missing++;
    if (found > 1) counts.doubled++;
    if (calls?.[0] && (calls[0].choices[0].message.content !== each.text || !calls[0].delivered)) counts.altered++;
  }
}

async function killed(program: string, kill: number): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  const origin = line.toString().trim();
  const clients = Array.from({ length: CLIENTS }, (_, i) =>
    play(origin, `${kill}-${i}`).catch((error: Error) => {
      if (!/fetch failed|terminated|no end/.test(error.message)) throw error;
    }),
  );
  // One in ten at any instant from the start, the others once answers have begun to end.
  while (acknowledged.length === 0 && kill % 10 > 0) await sleep(3);
  const until = cpuMsOf(child.pid!) + rng.uniform() * 500;
  while (cpuMsOf(child.pid!) < until) await sleep(3);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await Promise.all(clients);
  const log = await RolloutLog.open(folder, { partBytes: 1 << 18 });
  if (log.cutBytes > 0) counts.cut++;
  await check(log);
  await log.close();
}

const program = await bundled();
const started = Date.now();
for (let kill = 0; kill < kills; kill++) {
  await killed(program, kill);
  if (kill % 20 === 19) console.log(`${kill + 1} kills: ${JSON.stringify(counts)}`);
}
const { acknowledged: all, found, missing, doubled, altered, cut } = counts;
const parts = readdirSync(folder).filter((name) => name.endsWith('.jsonl')).length;
console.log(`
| kills | calls asked for | acknowledged (calls and rewards) | found | missing | doubled | altered | kills that cut a line |
|---|---|---|---|---|---|---|---|
| ${kills} | ${asked} | ${all} | ${found} | ${missing} | ${doubled} | ${altered} | ${cut} |

${parts} parts; ${Math.round((Date.now() - started) / 1000)} s; load average ${loadavg()[0].toFixed(1)}`);
rmSync(folder, { recursive: true });
if (missing + doubled + altered > 0) process.exitCode = 1;
