import { mkdirSync, symlinkSync, writeFileSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listenMcp } from '@bowyer/serving';
import { checksOf, conformance, revisions } from '../mcp-conformance/conformance.js';
import type { CaseResult, Suite } from '../suite.js';

type Factory = Parameters<typeof listenMcp>[0]['stateless'];

/**
 * Lets the SDK's conformance server find its packages. Instead of the SDK it imports a module that re-exports the SDK and stores
 * the function that makes a server.
 */
function preparePackages(repository: string, installed: string): void {
  const packages = join(repository, 'node_modules');
  if (existsSync(packages)) return;
  const scope = join(packages, '@modelcontextprotocol');
  mkdirSync(join(scope, 'server'), { recursive: true });
  for (const name of ['express', 'cors', 'zod', '@modelcontextprotocol/express', '@modelcontextprotocol/node'])
    symlinkSync(join(installed, 'node_modules', name), join(packages, name));
  const sdk = resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server/dist/index.mjs');
  const manifest = { name: '@modelcontextprotocol/server', type: 'module', exports: './index.js' };
  writeFileSync(join(scope, 'server/package.json'), JSON.stringify(manifest));
  const lines = [
    `import { createMcpHandler as create } from ${JSON.stringify(sdk)};`,
    `export * from ${JSON.stringify(sdk)};`,
    'export const createMcpHandler = (factory, options) => create((globalThis.conformanceServer = factory), options);',
  ];
  writeFileSync(join(scope, 'server/index.js'), lines.join('\n'));
}

const suite: Suite = {
  title: "MCP conformance, the SDK's server",
  against: 'the listener of `serve_env task.protocol=mcp`',
  sources: [
    conformance,
    {
      github: 'modelcontextprotocol/typescript-sdk',
      commit: '3924de99df834302d89f5997a1b64ca268282284',
      version: 'main of 18 August 2026',
      paths: ['test/conformance'],
    },
    {
      npm: '@modelcontextprotocol/express',
      version: '2.0.2',
      with: ['@modelcontextprotocol/node@2.1.2', '@modelcontextprotocol/server@2.4.0', 'express@5', 'cors@2', 'zod@4'],
    },
  ],
  inCheck: false,
  notes:
    "The tools, prompts and resources that the scenarios ask for are those of the SDK's own conformance server; HTTP, sessions, limits and streams are those that environments are served with.",
  run: async ({ folders: [folder, repository, installed], work, log }) => {
    preparePackages(repository, installed);
    process.env.PORT = '0';
    await import(join(repository, 'test/conformance/src/everythingServer.ts'));
    const { conformanceServer: make } = globalThis as typeof globalThis & { conformanceServer: NonNullable<Factory> };
    const listener = await listenMcp({
      host: '127.0.0.1',
      port: 0,
      apiKey: null,
      idleMs: 600_000,
      isFull: () => false,
      open: () => ({ server: make(), close: () => Promise.resolve() }),
      stateless: make,
    });
    const cases: CaseResult[] = [];
    for (const revision of revisions) {
      cases.push(...(await checksOf(folder, work, ['server', revision, '--url', listener.url])));
      log(`${revision}: ${cases.length} checks so far`);
    }
    await listener.close();
    return cases;
  },
};
export default suite;
