// Tests that requests which a restart repeats give the same numbers as before, although checkpoints have changed since then, and
// that each request gets its answer.
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LanguageModel } from '@bowyer/models';
import { TinkerClient } from '../src/index.js';
import { creation, datum, places, session, withServer } from './with-server.js';

const input = (tokens: number[]) => ({ data: [datum(tokens)], loss_fn: 'cross_entropy' });
const learn = { forward_backward_input: input([5, 6, 7]) };
const adam = { adam_params: { learning_rate: 0.05 } };
const probe = { forward_input: input([5, 6, 7, 8]) };
const latest = { path: 'latest', overwrite: true };

async function newModel(client: TinkerClient): Promise<{ session_id: string; model_id: string }> {
  const session_id = await session(client);
  return { session_id, ...(await client.run<{ model_id: string }>('create_model', creation(session_id))) };
}

/** Sends requests for a model one after another, and waits for all results or errors. */
async function runAll(client: TinkerClient, model_id: string, from: number, requests: readonly [string, object][]) {
  const ids: string[] = [];
  for (const [i, [path, body]] of requests.entries()) {
    const sent = { model_id, seq_id: from + i, ...body };
    ids.push((await client.json<{ request_id: string }>('POST', path, sent)).request_id);
  }
  const results: Record<string, unknown>[] = [];
  for (const id of ids) results.push(await client.result(id).catch(({ message }: Error) => ({ message })));
  return results;
}

test('a model that began with a checkpoint begins with it after a restart, although that was overwritten, or deleted', async () => {
  const made = await withServer(async (client) => {
    const { session_id, model_id } = await newModel(client);
    const [, , { path }] = await runAll(client, model_id, 1, [
      ['forward_backward', learn],
      ['optim_step', adam],
      ['save_weights', latest],
    ]);
    const of = { session_id, path, optimizer: true };
    const b = await client.run<{ model_id: string }>('load_weights', { ...of, model_seq_id: 1 });
    const [before] = await runAll(client, b.model_id, 1, [['forward', probe]]);
    await runAll(client, model_id, 4, [
      ['forward_backward', learn],
      ['optim_step', adam],
      ['save_weights', latest],
    ]);
    return { before, a: model_id, b: b.model_id };
  });
  await withServer(async (client) => {
    expect(await runAll(client, made.b, 2, [['forward', probe]])).toEqual([made.before]);
    await client.send('DELETE', `training_runs/${made.a}/checkpoints/weights/latest`);
  });
  await withServer(async (client) => {
    expect(await runAll(client, made.b, 3, [['forward', probe]])).toEqual([made.before]);
  });
});

/** Requests after the first snapshot, given the path of a checkpoint of the model. */
const histories: Record<string, (place: string) => [string, object][]> = {
  'a checkpoint that was loaded, and overwritten since, is loaded again as it was': (place) => [
    ['forward_backward', learn],
    ['optim_step', adam],
    ['load_weights', { path: `${place}/latest`, optimizer: true }],
    ['forward_backward', learn],
    ['optim_step', adam],
    ['save_weights', latest],
  ],
  'a checkpoint that was not there, and is there now, is not loaded': (place) => [
    ['load_weights', { path: `${place}/later`, optimizer: true }],
    ['forward_backward', learn],
    ['optim_step', adam],
    ['save_weights', { path: 'later' }],
  ],
};

test.each(Object.entries(histories))('after a restart %s', async (_, history) => {
  // The first snapshot takes long, so that the next one comes late: a restart runs all later requests again.
  const save = Reflect.get(LanguageModel.prototype, 'save');
  LanguageModel.prototype.save = async function (dir) {
    await save.call(this, dir);
    if (/[/\\]2\.partial$/.test(dir)) await new Promise((done) => setTimeout(done, 500));
  };
  try {
    const { before, model_id, next } = await withServer(async (client) => {
      const { model_id } = await newModel(client);
      const requests: [string, object][] = [
        ['forward_backward', learn],
        ['optim_step', adam],
        ['save_weights', latest],
        ...history(`tinker://${model_id}/weights`),
        ['forward', probe],
      ];
      const results = await runAll(client, model_id, 1, requests);
      return { before: results.at(-1), model_id, next: requests.length + 1 };
    });
    await withServer(async (client) => {
      expect(await runAll(client, model_id, next, [['forward', probe]])).toEqual([before]);
    });
  } finally {
    LanguageModel.prototype.save = save;
  }
});

test('a request that the snapshot has, whose result was not kept, is answered after a kill before it was removed', async () => {
  const { id, kept } = await withServer(
    async (client) => {
      const { model_id } = await newModel(client);
      const sent = { model_id, seq_id: 1, ...learn };
      const { request_id } = await client.json<{ request_id: string }>('POST', 'forward_backward', sent);
      await client.result(request_id);
      const [name] = await readdir(join(places.server, 'requests'));
      await mkdir(join(places.server, 'kept'));
      await copyFile(join(places.server, 'requests', name), join(places.server, 'kept', name));
      await runAll(client, model_id, 2, [['optim_step', adam]]);
      return { id: request_id, kept: name };
    },
    { resultBytes: 1 },
  );
  await copyFile(join(places.server, 'kept', kept), join(places.server, 'requests', kept));
  await withServer(async (client) => {
    const answer = await client.json('POST', 'retrieve_future', { request_id: id });
    expect(answer).toMatchObject({ category: 'user', error: expect.stringMatching(/not kept any more/) as string });
  });
  expect(await readdir(join(places.server, 'requests'))).toEqual([]);
});
