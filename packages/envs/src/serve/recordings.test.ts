// What AgentGym's own server of maze and wordle was asked, asked of ours.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serveEnv } from './serve-env.js';

interface Exchange {
  seq: number;
  request: { method: string; path: string; json?: Record<string, unknown> };
  response: { status: number; json?: unknown };
}

const file = fileURLToPath(new URL('../../../../../shared/data/transcripts/lmrlgym.jsonl', import.meta.url));
const exchanges = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Exchange)
  : [];
if (exchanges.length === 0) console.warn(`skipped: no recordings at ${file}`);

const RECORDED_ID = 2;

const play = exchanges.length === 0 ? test.skip : test;

play.each(['maze', 'wordle'] as const)('%s answers as recorded', async (name) => {
  const limits = { host: '127.0.0.1', port: 0, maxInstances: 4, idleMs: 60_000 };
  const server = await serveEnv({ name, options: {}, ...limits });
  try {
    const origin = new URL(server.url).origin;
    for (let i = 0; i < RECORDED_ID; i++) await fetch(`${server.url}/create`, { method: 'POST' });
    const own = exchanges.filter(({ request }) => request.path.startsWith(`/${name}/`));
    expect(own.length).toBeGreaterThan(10);
    for (const { seq, request, response } of own) {
      const body = request.json === undefined ? undefined : JSON.stringify(request.json);
      const answer = await fetch(`${origin}${request.path}`, { method: request.method, body });
      expect({ seq, status: answer.status, json: await answer.json() }).toEqual({ seq, ...statusAndBody(response) });
    }
  } finally {
    await server.close();
  }
});

const statusAndBody = ({ status, json }: Exchange['response']) => ({ status, json });
