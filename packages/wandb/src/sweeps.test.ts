import { WandbServer } from '@bowyer/testing';
import { asAgent } from './sweeps.js';

let server: WandbServer;
beforeEach(async () => (server = await WandbServer.start()));
afterEach(() => server.close());

test('an agent whose heartbeat is lost gets its trial with the next one', async () => {
  server.sweeps.set('s', { variables: {}, commands: [{ type: 'run', run_id: 't1', args: {} }, { type: 'exit' }] });
  server.fault = (what, n) => (what === 'Heartbeat' && n === 1 ? 'lost' : null);
  const env = {
    HOME: '/nowhere',
    WANDB_BASE_URL: server.url,
    WANDB_API_KEY: server.key,
    WANDB_X_FILE_STREAM_RETRY_WAIT_MIN_SECONDS: '0.001',
  };
  const place = { entity: 'e', project: 'p', id: 's' };
  await asAgent(place, { env, host: 'here' }, async (agent) => {
    expect(await agent.heartbeat([])).toMatchObject({ type: 'run', run_id: 't1' });
    expect(await agent.heartbeat(['t1'])).toEqual({ type: 'exit' });
  });
});
