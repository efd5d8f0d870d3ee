// Runs the conformance suite of the Model Context Protocol, and reads its checks.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CaseResult, Source } from '../suite.js';

/** The suite needs a newer Node than the oldest that Bowyer supports. */
const newerNode = `node-${process.platform}-${process.arch}`;

export const revisions = ['2025-11-25', '2026-07-28'] as const;

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

const severity = ['INFO', 'SUCCESS', 'SKIPPED', 'WARNING', 'FAILURE'] as const;
const outcomes = { SUCCESS: 'passed', SKIPPED: 'skipped', WARNING: 'failed', FAILURE: 'failed' } as const;

/** Reads the checks of all scenarios of a run. Checks with the same id count once, with the worst outcome. */
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

export const conformance: Source = {
  npm: '@modelcontextprotocol/conformance',
  version: '0.2.0-alpha.12',
  with: [`${newerNode}@24.9.0`],
};

/** Runs the required scenarios of a revision for a server or a client. @param folder in which the suite is installed */
export async function checksOf(
  folder: string,
  work: string,
  [leg, revision, ...words]: readonly ['server' | 'client', string, ...string[]],
): Promise<CaseResult[]> {
  const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const results = join(work, `${leg}-${revision}`);
  const argv = [program, leg, '--requirements', revision, '--output-dir', results, ...words];
  // It exits with 1 if a required scenario fails, which the cases report in detail.
  const node = join(folder, 'node_modules', newerNode, 'bin/node');
  await promisify(execFile)(node, argv, { maxBuffer: 2 ** 26 }).catch(() => {});
  return readChecks(results, `${leg} ${revision}`);
}
