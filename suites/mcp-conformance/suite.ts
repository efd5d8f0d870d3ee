import { join } from 'node:path';
import { serveMcpEnv } from '@bowyer/serving';
import type { CaseResult, Suite } from '../suite.js';
import { checksOf, conformance, revisions } from './conformance.js';
import { startPlayer } from './player.js';

const suite: Suite = {
  title: 'MCP conformance',
  against: '`serve_env task.protocol=mcp` as server, `env=mcp` as client',
  sources: [conformance],
  inCheck: true,
  notes:
    'The requirements of both revisions are run, 2025-11-25 with sessions and 2026-07-28 without; a case is one check of a scenario, and a warning counts as a failure. ' +
    'The server serves the environments `maze` and `textcraft`; the client plays tasks with the calls that a scenario waits for.',
  run: async ({ folders: [folder], work, log }) => {
    const cases: CaseResult[] = [];
    const run = async (...given: Parameters<typeof checksOf>[2]) => {
      const found = await checksOf(folder, work, given);
      log(`${given[0]} ${given[1]}: ${found.length} checks`);
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
