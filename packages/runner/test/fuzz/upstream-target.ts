// Answers of another endpoint to a server that records them, whole and streamed, in all protocols: each one must be recorded
// completely, or fail.
import { createServer } from 'node:http';
import { ProxyServer, RolloutLog } from '@bowyer/rollouts';
import { listenHere } from '@bowyer/testing';
import { MISTAKEN } from './mistakes.js';
import type { Rng } from '@bowyer/core';
import { damageBytes, damageJson } from './mutations.js';
import type { OpenTarget } from './target.js';

const stream = (...events: object[]): string =>
  events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('') + 'data: [DONE]\n\n';

const call = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{"city": "Riga"}' } });
const delta = (content: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta: content, finish_reason: reason }],
});
const text = (value: string) => ({ type: 'text', text: value });

/** The route of the request, then a line break and the answer. */
const seeds = [
  `chat/completions\n${stream(delta({ content: 'a' }), delta({ tool_calls: [call('c1')] }), delta({ tool_calls: [call('c2')] }), delta({}, 'tool_calls'))}`,
  `chat/completions\n${JSON.stringify({ choices: [{ index: 0, message: { content: [{ type: 'thinking', thinking: [text('hm')] }, text('a')] }, finish_reason: 'stop' }] })}`,
  `completions\n${JSON.stringify({ choices: [{ index: 0, text: 'a', finish_reason: 'length' }] })}`,
  `messages\n${stream(
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a": 1}' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  )}`,
  `responses\n${JSON.stringify({
    status: 'completed',
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'a' }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    ],
  })}`,
].map((seed) => Buffer.from(seed));

/** Omits an event, ends the stream before it, repeats it at an earlier place, or damages it. */
function damageEvents(said: Uint8Array, rng: Rng): Uint8Array {
  const events = Buffer.from(said).toString().trimEnd().split('\n\n');
  const at = rng.integer(0, events.length - 1);
  const kind = rng.uniform();
  if (kind < 0.15) events.splice(at, 1);
  else if (kind < 0.3) events.length = at;
  else if (kind < 0.4) events.splice(rng.integer(0, at), 0, events[at]);
  else if (events[at].startsWith('data: {')) events[at] = `data: ${damageJson(events[at].slice(6), rng)}`;
  return Buffer.from(events.map((event) => `${event}\n\n`).join(''));
}

/** Compares events in any order, since parts of one choice may overtake the ends of others. */
const sameEvents = (one: string, other: string): boolean => sortedEvents(one) === sortedEvents(other);
const sortedEvents = (text: string): string => text.split('\n\n').sort().join('\n\n');

/**
 * Answers with damaged events. The client must get them or an error, and the rollout must contain the call, with the answer's end
 * or a described failure.
 */
export const upstreamAnswers: OpenTarget = async (folder) => {
  let answer = '';
  const endpoint = createServer((request, response) => {
    const type = answer.startsWith('data:') ? 'text/event-stream' : 'application/json';
    request.resume().on('end', () => response.writeHead(200, { 'content-type': type }).end(answer));
  });
  const upstream = `${await listenHere(endpoint)}/v1`;
  const log = await RolloutLog.open(folder);
  const faults: Error[] = [];
  const proxy = await ProxyServer.listen({
    upstream,
    upstreamKey: null,
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    log,
    onFault: (error) => void faults.push(error),
  });
  let count = 0;
  return {
    seeds,
    damage: (seed, rng) => {
      const start = seed.indexOf(0x0a) + 1;
      const [route, said] = [seed.subarray(0, start), seed.subarray(start)];
      const isStream = said[0] === 0x64;
      const damaged =
        rng.uniform() < 0.3
          ? damageBytes(said, rng)
          : isStream
            ? damageEvents(said, rng)
            : Buffer.from(damageJson(Buffer.from(said).toString(), rng));
      return Buffer.concat([route, damaged]);
    },
    read: async (input) => {
      const whole = Buffer.from(input).toString();
      const [route] = whole.split('\n', 1);
      answer = whole.slice(route.length + 1);
      const { url, id } = await proxy.rollouts.begin({ id: String(count++) });
      const messages = [{ role: 'user', content: 'Weather?' }];
      const response = await fetch(`${url}/v1/${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages, input: 'Weather?', prompt: 'a', max_tokens: 9 }),
      });
      const got = await response.text();
      const [fault] = faults.splice(0);
      if (fault !== undefined) throw new TypeError(`the server had a fault: ${fault.stack}`);
      if (response.status === 200 && !sameEvents(got, answer)) throw new TypeError('the client got another answer');
      await proxy.rollouts.end(id);
      const { calls, failures } = await proxy.rollouts.read(id);
      if (calls.length + failures.length !== 1)
        throw new TypeError(`${calls.length} calls, ${failures.length} failures`);
      if (failures.length > 0)
        throw new Error(MISTAKEN.test(failures[0].error) ? `fault: ${failures[0].error}` : failures[0].error);
      for (const { message } of calls[0].choices)
        if (message.calls.some(({ name }) => name === '')) throw new TypeError('a call has no name');
      return calls;
    },
    close: async () => {
      await proxy.close();
      await log.close();
      endpoint.close();
    },
  };
};
