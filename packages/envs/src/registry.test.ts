import { remoteOnlyEnvs } from './agentgym/registration.js';
import { checkEnv } from './contract/check-env.js';
import { environmentInfo, environmentNames, makeEnv } from './registry.js';

/** Not embedded: their defaults name a server. */
const playedOnServers = [...remoteOnlyEnvs, 'sciworld'] as const;
const isRemoteOnly = (name: string): boolean => playedOnServers.some((remote) => remote === name);

test.each(environmentNames.filter((name) => !isRemoteOnly(name)))('%s keeps the contract', async (name) => {
  const { sampleActions } = environmentInfo(name);
  const report = await checkEnv(() => makeEnv(name), { actions: sampleActions, episodes: 6 });
  expect(report.steps).toBeGreaterThan(6);
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
