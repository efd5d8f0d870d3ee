// Tests that clients of environments that run on a server keep the environment contract.
import { checkEnv, environmentInfo, makeEnv, remoteOnlyEnvs } from '@bowyer/envs';
import { EnvServer } from '../src/env-server/env-server.js';

// Their games are not part of this repository: another game, served in their protocol, checks the clients.
test.each([...remoteOnlyEnvs, 'sciworld'] as const)('%s keeps the contract', async (name) => {
  const makeServed = () => makeEnv('coin', { stepLimit: 5 });
  const limits = { host: '127.0.0.1', port: 0, maxInstances: 2, idleMs: 60_000 };
  const server = await EnvServer.listen({ ...limits, name, makeEnv: makeServed, resetOptions: (seed) => ({ seed }) });
  try {
    const { sampleActions } = environmentInfo(name);
    const baseUrl = server.url;
    const report = await checkEnv(() => makeEnv(name, { baseUrl, maxRounds: 4 }), {
      actions: sampleActions,
      episodes: 6,
    });
    expect(report.steps).toBeGreaterThan(6);
  } finally {
    await server.close();
  }
});
