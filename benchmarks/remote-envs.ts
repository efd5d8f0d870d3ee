// Do slow remote environments hold up fast ones? 64 environments behind a server whose answers take 5 to 200 ms each,
// against the throughput of 64 players who never wait for one another.
// node --conditions=source --import tsx benchmarks/remote-envs.ts [episodes per environment]
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Rng } from '@bowyer/core';
import { agentGymEnv, playEpisodes } from '@bowyer/envs';

const SLOTS = 64;
const STEPS = 5;
const episodesEach = Number(process.argv[2] ?? 16);

const rng = Rng.forPurpose(0, 'latencies');
const steps = new Map<number, number>();
let [ids, waitedMs] = [0, 0];

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString()));
  request.on('end', () => {
    const { id } = JSON.parse(body) as { id: number };
    const latencyMs = 5 + 195 * rng.uniform();
    const since = performance.now();
    const answer = JSON.stringify(answerOf(request.url!, id));
    setTimeout(
      () => {
        response.end(answer);
        waitedMs += latencyMs;
      },
      Math.max(0, latencyMs - (performance.now() - since)),
    );
  });
});

function answerOf(path: string, id: number): unknown {
  if (path === '/create') return { id: ids++ };
  if (path === '/close') return true;
  const step = path === '/reset' ? 0 : (steps.get(id) ?? 0) + 1;
  steps.set(id, step);
  return { observation: `step ${step}`, reward: 0, done: step === STEPS };
}

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const begun = performance.now();
// Until the last episode begins every environment is in play; afterwards some have nothing left to do.
let [busyMs, answeredMs] = [0, 0];
const episodes = await playEpisodes({
  makeEnv: () => agentGymEnv('textcraft', { baseUrl, actionFormat: 'plain', instructions: false, connections: SLOTS }),
  slots: SLOTS,
  episodes: SLOTS * episodesEach,
  seeds: (episode) => {
    [busyMs, answeredMs] = [performance.now() - begun, waitedMs];
    return episode;
  },
  act: (ready) => ready.map(() => 'continue'),
});
const totalMs = performance.now() - begun;
const done = episodes.reduce((sum, { turns }) => sum + turns.length, 0);
const failed = episodes.filter(({ error }) => error !== null).length;
console.log(`${done} steps of ${SLOTS} environments in ${(totalMs / 1000).toFixed(2)} s, ${failed} episodes failed`);
console.log(
  `all in play for ${(busyMs / 1000).toFixed(2)} s, at ${(answeredMs / SLOTS / busyMs).toFixed(3)} of the ideal throughput`,
);
console.log(`with start, end and closing: ${(waitedMs / SLOTS / totalMs).toFixed(3)}`);
server.closeAllConnections();
server.close();
