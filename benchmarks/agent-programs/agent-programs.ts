// Tries codex, opencode and Claude Code, unchanged, against a served model: each must copy a file, for which the model calls the
// program's own command tool once, reads the result and answers.
//   npm install --ignore-scripts --no-package-lock --prefix benchmarks/agent-programs && npm run programs --prefix benchmarks/agent-programs
// The model is trained first, unless --model=FOLDER gives one (after `--`). --only=NAME tries one program. With --write the table
// is written to docs/models/clients.md. The command fails if a program does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { maximum } from '@bowyer/core';
import { servedModel } from '../clients/served-model.js';
import { makeModel } from './model/make-model.js';
import { programAt, type Place } from './programs.js';
import { recorded, type Asked } from './recording-proxy.js';
import { note, reply, tasks, type ProgramName } from './task.js';

const here = import.meta.dirname;
const root = resolve(here, '../..');
const modules = join(here, 'node_modules');

/** The longest time of one program, in milliseconds. */
const PATIENCE = 1_500_000;

const { values } = parseArgs({
  options: { model: { type: 'string' }, only: { type: 'string' }, write: { type: 'boolean' } },
});

interface Tried {
  program: string;
  /** The requests of the program, each with the length of its prompt. */
  requests: readonly Asked[];
  problem: string | null;
}

const model = values.model ?? (await madeModel());
const { server, origin } = await servedModel(model, { slots: 2, max_new_tokens: 1_000 });
const tried: Tried[] = [];
try {
  for (const name of Object.keys(tasks) as ProgramName[])
    if (values.only === undefined || values.only === name) tried.push(await triedProgram(name));
} finally {
  server.kill('SIGINT');
  await once(server, 'exit');
}
const table = tableOf(tried);
console.log(`\n${table}`);
if (values.write) writeTable(table);
process.exitCode = tried.some(({ problem }) => problem !== null) ? 1 : 0;

async function madeModel(): Promise<string> {
  const folder = join(root, 'outputs/agent-model');
  const best = join(folder, 'run/checkpoints/best');
  return existsSync(best) ? best : makeModel(folder);
}

async function triedProgram(name: ProgramName): Promise<Tried> {
  const folder = mkdtempSync(join(tmpdir(), 'bowyer-program-'));
  const proxy = await recorded(origin);
  const place: Place = { origin: proxy.origin, home: join(folder, 'home'), work: join(folder, 'work') };
  for (const dir of [place.home, place.work]) mkdirSync(dir);
  writeFileSync(join(place.work, 'note.txt'), note);
  try {
    const { output, version } = await ran(name, place);
    const problem = problemOf(place, output, proxy.asked);
    console.log(`${name}: ${problem ?? 'ok'}${problem === null ? '' : `\n${output}`}`);
    for (const { request, status, promptTokens } of proxy.asked) console.log(`  ${request} ${status} ${promptTokens}`);
    return { program: `${name} ${version}`, requests: proxy.asked, problem };
  } finally {
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program in an environment with only a path, a new home folder, and the program's settings. */
async function ran(name: ProgramName, place: Place): Promise<{ output: string; version: string }> {
  const program = programAt(name, place);
  program.prepare?.(place);
  const env = { PATH: process.env.PATH, HOME: place.home, ...program.env };
  const child = spawn(join(modules, program.file), program.args, {
    cwd: place.work,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await once(child, 'close');
  const { version } = JSON.parse(readFileSync(join(modules, program.package, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { output, version };
}

/** Returns the problem of a program; null if the command has run, and the program has printed the model's answer to its result. */
function problemOf({ work }: Place, output: string, asked: readonly Asked[]): string | null {
  const refused = asked.find(({ status, request }) => status >= 400 && !request.startsWith('HEAD'));
  if (refused) return `${refused.request} was answered with ${refused.status}: ${refused.error}`;
  const copy = join(work, 'copy.txt');
  if (!existsSync(copy) || readFileSync(copy, 'utf8') !== note) return 'the command did not run';
  return output.includes(reply) ? null : 'the answer to the result was not shown';
}

function tableOf(results: readonly Tried[]): string {
  const rows = results.map(({ program, requests, problem }) => {
    const kinds = [...new Set(requests.map(({ request }) => `\`${request}\``))].join(', ');
    const longest = maximum(requests.map(({ promptTokens }) => promptTokens));
    return `| ${program} | ${kinds} | ${longest} | ${problem === null ? 'ok' : 'failed'} |`;
  });
  return ['| program | asks for | longest prompt, tokens | task |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function writeTable(text: string): void {
  const page = join(root, 'docs/models/clients.md');
  const written = readFileSync(page, 'utf8').replace(/\| program \|.*\n(\|.*\n)*/, () => `${text}\n`);
  writeFileSync(page, written);
}
