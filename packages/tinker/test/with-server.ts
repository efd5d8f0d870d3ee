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
