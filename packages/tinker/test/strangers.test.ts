// Tests of clients that send too much, or never what others wait for: what a server keeps of them is bounded, in memory and on
// disk.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { creation, opening, places, session, withServer } from './with-server.js';

test('notes of clients are bounded, and sessions that nobody uses leave, the oldest first', () =>
  withServer(async (client) => {
    const notes = { user_metadata: { a: 'x'.repeat(100_000) } };
    const refused = { status: 400, message: expect.stringContaining('at most 16384 characters') as string };
    await expect(session(client, notes)).rejects.toMatchObject(refused);
    await expect(session(client, { tags: Array(100).fill('x'.repeat(4000)) })).rejects.toMatchObject({ status: 400 });
    const first = await session(client);
    const { model_id } = await client.run<{ model_id: string }>('create_model', creation(first));
    await expect(client.run('create_model', creation(first, { model_seq_id: 1, ...notes }))).rejects.toMatchObject(
      refused,
    );
    const second = await session(client);
    for (let i = 0; i < 1030; i += 103) await Promise.all(Array.from({ length: 103 }, () => session(client)));
    expect(await readdir(join(places.server, 'sessions'))).toHaveLength(1024);
    await client.json('POST', 'session_heartbeat', { session_id: first });
    await client.json('POST', 'get_info', { model_id });
    await expect(client.json('POST', 'session_heartbeat', { session_id: second })).rejects.toMatchObject({
      status: 404,
    });
  }));

test('requests that wait for a missing number wait on disk, within a bound, and the missing one is always taken', () =>
  withServer(async (client) => {
    const { model_id } = await client.run<{ model_id: string }>('create_model', creation(await session(client)));
    const body = (seq_id: number) => ({
      model_id,
      seq_id,
      forward_backward_input: { data: [], loss_fn: 'cross_entropy', loss_fn_config: { note: 'x'.repeat(900_000) } },
    });
    const waiting: string[] = [];
    let refused: { status?: number } = {};
    for (let seq = 2; seq < 20 && !refused.status; seq++)
      await client.json<{ request_id: string }>('POST', 'forward_backward', body(seq)).then(
        ({ request_id }) => waiting.push(request_id),
        (error: { status: number }) => (refused = error),
      );
    expect(refused.status).toBe(429);
    expect(waiting).toHaveLength(9); // 8 of the largest bodies
    const missing = await client.json<{ request_id: string }>('POST', 'forward_backward', body(1));
    for (const id of [missing.request_id, ...waiting])
      await expect(client.result(id)).rejects.toMatchObject({
        message: expect.stringMatching(/^loss_fn_config.note is "x{79}…; it must be a number$/) as string,
      });
    await client.json('POST', 'forward_backward', body(20)); // there is room again
  }));

test('a value beyond what sampling takes, and a key of thousands of characters, are the sender’s faults', () =>
  withServer(async (client) => {
    const asked = { base_model: 'tiny', prompt: { chunks: [{ type: 'encoded_text', tokens: [2] }] } };
    const hot = client.json('POST', 'asample', { ...asked, sampling_params: { temperature: 1e308, max_tokens: 1 } });
    await expect(hot).rejects.toMatchObject({ status: 400 });
    const keyed = client.json('POST', 'create_session', opening, { 'x-idempotency-key': 'k'.repeat(5000) });
    await expect(keyed).rejects.toMatchObject({ status: 400 });
  }));
