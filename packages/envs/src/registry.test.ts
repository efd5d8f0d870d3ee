import { remoteOnlyEnvs } from './agentgym/registration.js';
import { checkEnv } from './contract/check-env.js';
import { environmentInfo, environmentNames, makeEnv } from './registry.js';
import { EnvServer } from '@bowyer/serving';

/** Not embedded: their defaults name a server. */
const playedOnServers = [...remoteOnlyEnvs, 'sciworld'] as const;
const isRemoteOnly = (name: string): boolean => playedOnServers.some((remote) => remote === name);

test.each(environmentNames.filter((name) => !isRemoteOnly(name)))('%s keeps the contract', async (name) => {
  const { sampleActions } = environmentInfo(name);
  const report = await checkEnv(() => makeEnv(name), { actions: sampleActions, episodes: 6 });
  expect(report.steps).toBeGreaterThan(6);
});

// Their games are not here; another one, served in their forms, shows whether the clients keep the contract.
test.each(playedOnServers)('%s keeps the contract', async (name) => {
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

test('an environment that is played on a server asks for its address', () => {
  expect(() => makeEnv('sciworld')).toThrow(/base_url is null\n {2}give its address/);
});

test.each(environmentNames)('%s: every option has a description and a default', (name) => {
  const { schema } = environmentInfo(name);
  for (const property of Object.values(schema.properties)) {
    expect(property.description.length).toBeGreaterThan(10);
    expect(property).toHaveProperty('default');
  }
});

test('an unknown environment lists the known ones and the nearest', () => {
  expect(() => makeEnv('twenty_question')).toThrow(
    [
      "Unknown environment 'twenty_question'",
      "  did you mean 'twenty_questions'?",
      `  known: ${environmentNames.join(', ')}`,
    ].join('\n'),
  );
});

test('an unknown option is refused with the nearest known one', () => {
  expect(() => makeEnv('twenty_questions', { maxTurn: 5 })).toThrow(
    /Unknown option.*'maxTurn'\n {2}did you mean 'maxTurns'\?/,
  );
});
