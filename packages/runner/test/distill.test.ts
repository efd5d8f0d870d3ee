// docs/agents/distill.md, run word by word by bash in a copy of its example: the circle from a big model to a tested small one. The
// check has fewer tasks and iterations.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isExhaustive } from '@bowyer/testing';
import { repository } from './command-line.js';

const page = readFileSync(join(repository, 'docs/agents/distill.md'), 'utf8');

/** Replacements that make the check shorter: a tenth of the tasks, less training, and a big model without errors, also in the test of vitest. */
const shortened: [file: string, from: string, to: string][] = [
  ['tasks.mjs', 'round < 10', 'round < 1'],
  ['guide.sh', 'big-model.mjs 9000', 'big-model.mjs 9000 0'],
  ['guide.sh', 'data=runs/record/conversations.jsonl', 'data=runs/record/conversations.jsonl epochs=4'],
  ['guide.sh', 'epochs=10', 'epochs=2'],
  ['guide.sh', 'iterations=6 test_size=120', 'iterations=1 rollout_size=8 group_size=4 eval_size=4 test_size=8'],
  ['guide.sh', 'npx vitest run', "MODEL='http://127.0.0.1:9000/v1#big' npx vitest run"],
];

let folder: string;
const at = (name: string) => join(folder, name);
const edit = (name: string, from: string, to: string) => {
  const text = readFileSync(at(name), 'utf8');
  expect(text).toContain(from);
  writeFileSync(at(name), text.replaceAll(from, to));
};

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bowyer-distill-')));
  cpSync(join(repository, 'examples/distill'), folder, { recursive: true });
  symlinkSync(join(repository, 'node_modules'), at('node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns a port that nobody listens on. */
const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** Runs a script of bash that ends with its first failure, and what it has left in the background with it. */
const bash = (script: string) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const { NODE_OPTIONS: _, ...env } = process.env;
    execFile('bash', [script], { cwd: folder, env, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });

test(
  'the guide runs from the record to a test that fails where the agent is broken',
  async () => {
    const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block);
    const port = String(await freePort());
    const ends = "set -e\ntrap 'kill $(jobs -p)' EXIT\n";
    writeFileSync(at('guide.sh'), ends + blocks.join('\n'));
    if (!isExhaustive()) for (const [file, from, to] of shortened) edit(file, from, to);
    edit('guide.sh', '9000', port);
    edit('guide.sh', 'upstream=', 'port=0 upstream=');
    const { code, output } = await bash('guide.sh');
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    // The bill has the prices of the big model and of the trained one.
    const { costs, policies } = JSON.parse(readFileSync(at('runs/bill/results.json'), 'utf8')) as {
      costs: { thousand: number }[];
      policies: { metrics: Record<string, number> }[];
    };
    expect(costs[0].thousand).toBeGreaterThan(10 * costs[3].thousand);
    if (isExhaustive())
      expect(policies[3].metrics['test/episodic_return']).toBeGreaterThan(policies[1].metrics['test/episodic_return']);
    expect(readFileSync(at('agent.gguf')).subarray(0, 4).toString()).toBe('GGUF');

    const change = /with `(guest: 'awake')` in the place of `(guest: task.guest)`/.exec(page)!;
    edit('agent.mjs', change[2], change[1]);
    const script = readFileSync(at('guide.sh'), 'utf8').split('\n');
    const lines = [
      ends,
      script.find((line) => line.includes('big-model')),
      script.find((line) => line.includes('vitest')),
    ];
    writeFileSync(at('broken.sh'), lines.join('\n'));
    const broken = await bash('broken.sh');
    expect(broken.code).toBe(1);
    expect(broken.output).toContain('not reached: reward of at least');
  },
  isExhaustive() ? 3_600_000 : 900_000,
);
