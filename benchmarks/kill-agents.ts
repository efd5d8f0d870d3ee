// Kills train_agent with SIGKILL at random instants and starts it again until it ends: the launcher alone, whose agents keep
// running, or the launcher with all its agents. Each run must end with the bytes of an undisturbed one. In further runs the
// agents are killed, whose rollouts then begin again with other random numbers, and sometimes the launcher: no iteration and no
// rollout may be missing or doubled. No process of a run may survive it, and its folder must be free. Table in
// docs/reliability.md.
//   nice node --conditions=source --import tsx benchmarks/kill-agents.ts [KILLS_OF_EACH_KIND]
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Rng } from '@bowyer/core';
import { builtProgram } from '@bowyer/testing';
import { readRollouts } from '@bowyer/rollouts';
import { colourProgram } from '../packages/runner/test/colour-program.js';
import { run, type Ended } from '../packages/runner/test/command-line.js';
import { cpuMsOf } from './cpu-time.js';
import { differentFiles, kill, report, resultFiles, undisturbed } from './tiny-runs.js';

const mostKills = Number(process.argv[2] ?? '30');
const directory = mkdtempSync(join(tmpdir(), 'bowyer-kill-agents-'));
const program = builtProgram();
const rng = new Rng(Date.now() % 2 ** 32);
const given = await colourProgram();

/**
 * The agent makes two calls with some work between them, as a shell script, since an agent in Node would spend most of the time
 * on starting.
 */
const agent = `
task=$(printf %s "$BOWYER_TASK" | sed 's/.*"id":"\\([a-z]*\\)".*/\\1/')
ask() {
  curl -sS --fail -H "authorization: Bearer $OPENAI_API_KEY" -H 'content-type: application/json' "$OPENAI_BASE_URL/chat/completions" \\
    -d '{"model":"any","max_tokens":1,"messages":[{"role":"user","content":"say '"$task"'"}]}'
}
first=$(ask) || exit 3
sleep 0.05
second=$(ask) || exit 3
case $first$second in
  *'"content":" red"'*|*'"content":"red"'*) echo '{"reward": 1}' ;;
  *) echo '{"reward": 0}' ;;
esac
`;
const agentFile = join(directory, 'agent.sh');
writeFileSync(agentFile, agent);

const [ITERATIONS, ROLLOUTS] = [3, 4];

const command = (to: string, concurrency: number): string[] => [
  '--config-name',
  'train_agent',
  `agent=sh ${agentFile}`,
  `tasks=${join(given, 'tasks.jsonl')}`,
  `model=${join(given, 'model')}`,
  `save_path=${join(directory, to)}`,
  'algorithm=rloo',
  `iterations=${ITERATIONS}`,
  `rollout_size=${ROLLOUTS}`,
  'group_size=2',
  'eval_freq=2',
  'eval_size=2',
  'test_size=2',
  'eval_share=0',
  'test_share=0',
  'save_freq=1',
  `concurrency=${concurrency}`,
  // The replaced groups depend on the rollouts, and rollouts that begin again have other numbers.
  `sampling_rounds=${concurrency === 1 ? 2 : 1}`,
  'attempts=5',
  'threads=1',
  'lm_lr=0.01',
  `pass_env=[${MARK}]`,
];

/** The environment variable by which this program finds its agents. */
const MARK = 'BOWYER_KILL_AGENTS';

/** Lists the living processes of all agents of this program. */
function agentProcesses(launcher: number | null): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== launcher)
    .map(Number)
    .filter((pid) => {
      try {
        const variables = readFileSync(`/proc/${pid}/environ`, 'utf8');
        return variables.includes(`${MARK}=${directory}\0`) && variables.includes('BOWYER_TASK=');
      } catch {
        return false; // the process has ended, or belongs to another user
      }
    });
}

const counts = { launcher: 0, both: 0, agent: 0, orphans: 0 };
const problems: string[] = [];

const start = (to: string, concurrency: number, killWhen: (pid: number) => boolean): Promise<Ended> =>
  run(command(to, concurrency), { program, killWhen, env: { [MARK]: directory } });

/** Makes a new run whose launcher is killed, alone or with its agents, until it ends or was killed `most` times. */
async function launcherKilled(to: string, cpuMs: number, most: number): Promise<void> {
  for (let kills = 0; ; kills++) {
    const at = kills === most ? Infinity : rng.uniform() * cpuMs;
    const withAgents = rng.uniform() < 0.5;
    const killWhen = (pid: number) => {
      if (cpuMsOf(pid) < at) return false;
      if (withAgents) agentProcesses(pid).forEach(kill);
      return true;
    };
    const { signal, code, stderr } = await start(to, 1, killWhen);
    if (signal !== 'SIGKILL') return checkEnd(code, stderr);
    counts[withAgents ? 'both' : 'launcher']++;
    counts.orphans += agentProcesses(null).length;
  }
}

/** Makes the same run, but kills one agent's process at a time, and the launcher in one of six cases. */
async function agentsKilled(to: string, cpuMs: number, most: number): Promise<void> {
  let kills = 0;
  for (;;) {
    let at = (rng.uniform() * cpuMs) / 2;
    const killWhen = (pid: number) => {
      if (kills >= most || cpuMsOf(pid) < at) return false;
      const living = agentProcesses(pid);
      if (living.length === 0) return false; // the first process of an agent
      at = cpuMsOf(pid) + (rng.uniform() * cpuMs) / 8;
      if (rng.uniform() < 1 / 6) return true;
      if (kill(living[rng.integer(0, living.length - 1)])) [kills, counts.agent] = [kills + 1, counts.agent + 1];
      return false;
    };
    const { signal, code, stderr } = await start(to, 2, killWhen);
    if (signal !== 'SIGKILL') return checkEnd(code, stderr);
    counts.launcher++;
  }
}

function checkEnd(code: number | null, stderr: string): void {
  if (code !== 0) problems.push(`exit code ${code}: ${stderr.slice(-500)}`);
}

/** Checks that no process of the run is alive, and no temporary file is left. */
async function checkRest(to: string): Promise<void> {
  const until = performance.now() + 10_000;
  while (agentProcesses(null).length > 0 && performance.now() < until) await sleep(50);
  for (const pid of agentProcesses(null)) problems.push(`process ${pid} of an agent lives after its run`);
  for (const name of readdirSync(join(directory, to), { recursive: true, encoding: 'utf8' }))
    if (/\.(tmp|partial)(\/|$)|\.lock/.test(name)) problems.push(`${name} is left`);
}

const linesOf = <Line>(to: string, file: string): Line[] =>
  readFileSync(join(directory, to, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** Returns the parts that are equal if rollouts are played again: iterations, rollouts and their tasks. */
function outlineOf(to: string): string {
  const iterations = linesOf<Record<string, number>>(to, 'metrics.jsonl').map(
    ({ iteration, 'rollout/episodes': episodes }) => [iteration, episodes],
  );
  const played = ['rollout', 'eval', 'test'].map((name) =>
    linesOf<Record<string, unknown>>(to, `trajectories/${name}.jsonl`)
      .map(({ episode, iteration, item, policy }) => JSON.stringify([policy, iteration, episode, item]))
      .sort(),
  );
  return JSON.stringify([iterations, played]);
}

/** Checks that every rollout that was learned from is in the record with its calls, and that none was learned from twice. */
async function checkRecord(to: string): Promise<void> {
  let learnt = 0;
  for await (const { id, calls, learntAt } of readRollouts(join(directory, to, 'calls'))) {
    if (learntAt === undefined) continue;
    learnt++;
    if (calls.length < 2) problems.push(`the rollout ${id} was learned from, and has ${calls.length} calls`);
  }
  recorded.push(learnt);
}
const recorded: number[] = [];

let cpuMs = 0;
for (const concurrency of [1, 2])
  cpuMs = Math.max(cpuMs, await undisturbed(command(`whole-${concurrency}`, concurrency), { [MARK]: directory }));
console.log(`CPU time of a run: ${cpuMs} ms`);

const runs = { launcher: 0, agent: 0 };
const launcherKills = () => counts.launcher + counts.both;
while (launcherKills() < mostKills && problems.length < 20) {
  const to = `launcher-${runs.launcher++}`;
  await launcherKilled(to, cpuMs, Math.min(10, mostKills - launcherKills()));
  for (const file of differentFiles(join(directory, 'whole-1'), join(directory, to))) problems.push(`${file} differs`);
  await checkRecord(to);
  await checkRest(to);
}
const before = { ...counts };
while (counts.agent < mostKills && problems.length < 20) {
  const to = `agent-${runs.agent++}`;
  await agentsKilled(to, cpuMs, Math.min(10, mostKills - counts.agent));
  if (outlineOf(to) !== outlineOf('whole-2')) problems.push(`${outlineOf(to)} is not ${outlineOf('whole-2')}`);
  await checkRecord(to);
  await checkRest(to);
}

console.log(
  '| kills | of the launcher alone | of both | of an agent alone | processes of agents that lived on | runs | compared | findings |\n' +
    '|---|---|---|---|---|---|---|---|\n' +
    `| ${before.launcher + before.both} | ${before.launcher} | ${before.both} | 0 | ${before.orphans} | ${runs.launcher} | ${resultFiles(join(directory, 'whole-1')).length} files | ${problems.length} |\n` +
    `| ${counts.agent + counts.launcher - before.launcher} | ${counts.launcher - before.launcher} | 0 | ${counts.agent} | | ${runs.agent} | iterations, rollouts | ${problems.length} |`,
);
console.log(`rollouts learned from, in the record of each run: ${recorded.join(', ')}`);
report(problems);
if (problems.length === 0) rmSync(directory, { recursive: true, force: true });
rmSync(given, { recursive: true, force: true });
