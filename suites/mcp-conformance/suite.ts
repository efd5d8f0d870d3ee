import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serveMcpEnv } from '@bowyer/serving';
import type { CaseResult, Suite } from '../suite.js';
import { startPlayer } from './player.js';

/** The suite needs a newer Node than the oldest that Bowyer supports. */
const newerNode = `node-${process.platform}-${process.arch}`;

const revisions = ['2025-11-25', '2026-07-28'] as const;

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

const severity = ['INFO', 'SUCCESS', 'SKIPPED', 'WARNING', 'FAILURE'] as const;
const outcomes = { SUCCESS: 'passed', SKIPPED: 'skipped', WARNING: 'failed', FAILURE: 'failed' } as const;

/** Reads the checks of all scenarios of a run. Those of one id count once, with the worst that any had. */
function readChecks(folder: string, leg: string): CaseResult[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('checks.json'))
    .flatMap((path) => {
      const scenario = path.replace(/-\d{4}-\d\d-\d\dT[^/]*\/checks\.json$/, '').replace(/^server-/, '');
      const worst = new Map<string, Check>();
      for (const check of JSON.parse(readFileSync(join(folder, path), 'utf8')) as Check[]) {
        const known = worst.get(check.id);
        if (known && severity.indexOf(known.status) >= severity.indexOf(check.status)) continue;
        worst.set(check.id, check);
      }
      return [...worst.values()].flatMap(({ id, status, errorMessage }) =>
        status === 'INFO'
          ? []
          : { name: `${leg} ${scenario}: ${id}`, outcome: outcomes[status], detail: errorMessage?.slice(0, 200) },
      );
    });
}

const suite: Suite = {
  title: 'MCP conformance',
  against: '`serve_env protocol=mcp` as server, `env=mcp` as client',
  sources: [{ npm: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12', with: [`${newerNode}@24.9.0`] }],
  inCheck: true,
  notes:
    'The requirements of both revisions are run, 2025-11-25 with sessions and 2026-07-28 without; a case is one check of a scenario, and a warning counts as a failure. ' +
    'The server serves the environments `maze` and `textcraft`; the client plays tasks with the calls that a scenario waits for.',
  run: async ({ folders: [folder], work, log }) => {
    const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
    const cases: CaseResult[] = [];
    const run = async (leg: string, revision: string, ...words: string[]) => {
      const results = join(work, `${leg}-${revision}`);
      const argv = [program, leg, '--requirements', revision, '--output-dir', results, ...words];
      // It exits with 1 where a required scenario fails, which the cases say in detail.
      await promisify(execFile)(join(folder, 'node_modules', newerNode, 'bin/node'), argv, {
        maxBuffer: 2 ** 26,
      }).catch(() => {});
      const found = readChecks(results, `${leg} ${revision}`);
      log(`${leg} ${revision}: ${found.length} checks`);
      cases.push(...found);
    };
    const server = await serveMcpEnv({
      name: 'mixture',
      options: { envs: ['maze', 'textcraft'] },
      host: '127.0.0.1',
      port: 0,
      apiKey: null,
      maxInstances: 200,
      idleMs: 600_000,
    });
    const player = await startPlayer(work);
    try {
      const command = `node ${join(import.meta.dirname, 'play.mjs')} ${player.port}`;
      for (const revision of revisions) {
        await run('server', revision, '--url', server.url);
        await run('client', revision, '--command', command);
      }
    } finally {
      player.close();
      await server.close();
    }
    return cases;
  },
};
export default suite;
