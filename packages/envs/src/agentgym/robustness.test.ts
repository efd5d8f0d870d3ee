// Tests episodes on a server that delays, drops connections, answers 500 and is down for a while: no step is executed twice, and
// all other episodes continue.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { playEpisodes } from '../play-episodes.js';
import { agentGymEnv } from './agentgym-env.js';

const STEPS = 6;

/** Counts to STEPS in the forms of textcraft's server, and counts the requests of each step of each instance. */
class CountingServer {
  readonly steps = new Map<string, number>();
  readonly open = new Set<number>();
  requests = 0;
  /** The number of steps that were dropped or answered with 500. Each may end its episode. */
  spoiled = 0;
  #server: Server | null = null;
  #ids = 0;
  #at = new Map<number, { item: number; step: number; episode: number }>();

  constructor(
    private readonly trouble: (request: number, path: string) => 'drop' | 'fail' | 'delay' | 'die' | null,
    /** The time in milliseconds for which the server is down. */
    private readonly awayMs: number,
  ) {}

  async listen(port = 0): Promise<number> {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => this.#handle(request.url!, JSON.parse(body) as Record<string, unknown>, response));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  #handle(path: string, fields: Record<string, unknown>, response: ServerResponse): void {
    const trouble = this.trouble(++this.requests, path);
    if (trouble === 'fail' || trouble === 'drop') this.spoiled++;
    if (trouble === 'fail') return void response.writeHead(500).end('Internal Server Error');
    const answer = JSON.stringify(this.#answer(path, fields));
    if (trouble === 'drop') return void response.destroy(); // the step is executed, but the client gets no answer
    if (trouble === 'delay') return void setTimeout(() => response.end(answer), 200);
    if (trouble === 'die') {
      const { port } = this.#server!.address() as AddressInfo;
      this.stop();
      setTimeout(() => void this.listen(port), this.awayMs);
      return;
    }
    response.end(answer);
  }

  #answer(path: string, { id, data_idx: item }: Record<string, unknown>): unknown {
    if (path === '/create') {
      this.open.add(this.#ids);
      return { id: this.#ids++, observation: '', done: false, reward: 0 };
    }
    if (path === '/close') return this.open.delete(id as number);
    if (path === '/reset') {
      const episode = (this.#at.get(id as number)?.episode ?? 0) + 1;
      this.#at.set(id as number, { item: item as number, step: 0, episode });
      return { id, observation: 'start', done: false, reward: 0 };
    }
    const at = this.#at.get(id as number)!;
    const key = `instance ${String(id)} episode ${at.episode} step ${++at.step}`;
    this.steps.set(key, (this.steps.get(key) ?? 0) + 1);
    return { observation: key, done: at.step === STEPS, reward: at.step === STEPS ? 1 : 0 };
  }
}

const EPISODES = 24;

test.each([
  ['delays', (request: number) => (request % 5 === 0 ? 'delay' : null), 0, 0],
  ['drops steps', (request: number, path: string) => (request % 40 === 0 && path === '/step' ? 'drop' : null), 0, 0],
  [
    'answers 500 to some steps',
    (request: number, path: string) => (request % 30 === 0 && path === '/step' ? 'fail' : null),
    0,
    0,
  ],
  // While the server is down, each slot may lose one episode that was in a step.
  ['goes away for a second', (request: number) => (request === 60 ? 'die' : null), 4, 1_000],
] as const)('a server that %s', async (_, trouble, othersFailed, awayMs) => {
  const server = new CountingServer(trouble, awayMs);
  const baseUrl = `http://127.0.0.1:${await server.listen()}`;
  let sent = 0;
  const episodes = await playEpisodes({
    makeEnv: () => agentGymEnv('textcraft', { baseUrl, actionFormat: 'plain', instructions: false }),
    slots: 4,
    episodes: EPISODES,
    seeds: (episode) => episode,
    act: (ready) => ready.map(() => `step ${++sent}`),
  });
  const failed = episodes.filter(({ error }) => error !== null);
  expect(failed.length).toBeLessThanOrEqual(server.spoiled + othersFailed);
  for (const { error, turns } of episodes) {
    // If a step had been executed twice, a number would be missing.
    const numbers = turns.map(({ nextObservation }) => Number(/step (\d+)$/.exec(nextObservation)![1]));
    expect(numbers).toEqual(turns.map((__, i) => i + 1));
    if (error === null) expect(turns).toHaveLength(STEPS);
  }
  const done = [...server.steps.values()].reduce((sum, count) => sum + count, 0);
  expect(done).toBeLessThanOrEqual(sent);
  expect(server.open.size).toBe(0); // all instances were given back
  server.stop();
});
