// Sets up a tiny base for the tests of a file, a folder for each test, and a server over both.
import { openDevice } from '@bowyer/graph';
import { newFolder } from '@bowyer/testing';
import { TinkerClient } from '../src/index.js';
import { tinyBase } from './tiny-base.js';
import { tinyServer } from './tiny-server.js';

export const clientOf = (baseURL: string) => new TinkerClient({ baseURL, apiKey: 'tml-test' });

/** The folders of the model and of the server's state, which are there while a test runs. */
export const places = { model: '', server: '' };

beforeAll(async () => {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  places.model = await tinyBase(device);
  await device.close();
});
beforeEach(() => (places.server = newFolder()));

export async function withServer<Result>(
  use: (client: TinkerClient) => Promise<Result>,
  changes = {},
): Promise<Result> {
  const { server, close } = await tinyServer(places.model, places.server, changes);
  try {
    return await use(clientOf(server.url));
  } finally {
    await close();
  }
}

export const opening = { tags: [], user_metadata: null, sdk_version: '0.26.2' };

/** Opens a session. @param more fields of the request */
export const session = async (client: TinkerClient, more: object = {}): Promise<string> =>
  (await client.json<{ session_id: string }>('POST', 'create_session', { ...opening, ...more })).session_id;

/** Returns a request for a model. @param more fields of the request */
export const creation = (session_id: string, more: object = {}) => ({
  session_id,
  model_seq_id: 0,
  base_model: 'tiny',
  lora_config: { rank: 2, seed: 1 },
  ...more,
});

/** Returns the datum of a text that is learned. */
export const datum = (tokens: readonly number[]) => ({
  model_input: { chunks: [{ type: 'encoded_text', tokens: tokens.slice(0, -1) }] },
  loss_fn_inputs: { target_tokens: { data: tokens.slice(1), dtype: 'int64', shape: [tokens.length - 1] } },
});
