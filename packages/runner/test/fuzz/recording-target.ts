// The server that records rollouts as a target of damaged requests: calls, rewards, metrics, ends, and traces.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentServer, readRollouts, RolloutLog } from '@bowyer/rollouts';
import { repository } from '../command-line.js';
import { characterModel } from './model-targets.js';
import { damageRequest, LANES, request, send } from './requests.js';
import type { OpenTarget } from './target.js';

const fixtures = join(repository, 'packages/conversations/test/fixtures');
const spansOf = (name: string) => JSON.parse(readFileSync(join(fixtures, name), 'utf8').split('\n')[0]) as object;

const seeds = (): Buffer[] => {
  const post = (path: string, body: object) => request('POST', path, body);
  const messages = [{ role: 'user', content: 'Time?' }];
  return [
    post('/rollouts', { id: 'b', task: 'x', group: 'g', attempt: 0 }),
    post('/rollouts/a/v1/chat/completions', { messages, max_tokens: 2, n: 2 }),
    post('/rollouts/a/v1/completions', { prompt: 'ab', max_tokens: 2 }),
    post('/rollouts/a/v1/messages', { model: 'tiny', messages, max_tokens: 2, stream: true }),
    post('/rollouts/a/rewards', { value: 0.5, name: 'score', call: 0, key: 'k' }),
    post('/rollouts/a/metrics', { turns: 3, seconds: 0.25 }),
    post('/rollouts/b/end', { status: 'failed', reason: 'none' }),
    request('GET', '/rollouts/a'),
    ...['ai-sdk-gen-ai.jsonl', 'ai-sdk-legacy.jsonl'].map((name) => post('/v1/traces', spansOf(name))),
  ];
};

/** Opens a recording server. Its log must be readable afterwards, after any requests. */
export const recordingServer: OpenTarget = async (folder) => {
  const { options, device, faults } = await characterModel();
  const log = await RolloutLog.open(folder);
  const server = await AgentServer.listen({ ...options, log });
  await server.rollouts.begin({ id: 'a' });
  return {
    seeds: seeds(),
    damage: damageRequest,
    lanes: LANES,
    read: (input) => faults.during(send(server.origin, input)),
    close: async () => {
      await server.close();
      await log.close();
      await device.close();
      await readRollouts(folder);
    },
  };
};
