// The sweeps that come with the project: each opens with its question, and every job of it is a config that may run.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compose, planSweep, sweepDimensions } from '@bowyer/config';
import { composed } from '../../test/composed.js';
import { validateConfig } from '../config/validate-config.js';
import { drawTrials } from './search-space.js';
import type { SweeperConfig } from '../keys/sweep-schema.js';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const names = readdirSync(join(repository, 'experiments'))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.slice(0, -'.yaml'.length));

const options = (configName: string, overrides: string[]) => ({
  configDirs: [join(repository, 'configs'), { dir: join(repository, 'experiments'), group: 'experiment' }],
  configName,
  overrides,
});

function jobsOf(name: string, configName: string): string[][] {
  const given = options(configName, [`+experiment=${name}`]);
  const master = compose({ ...given, mode: 'multirun' });
  expect(master.setting('hydra.mode')).toBe('MULTIRUN');
  const sweeper = master.setting('sweeper') as SweeperConfig;
  if (sweeper.kind === 'basic') return planSweep(given).jobs;
  const params = master.setting('hydra.sweeper.params') as Record<string, string>;
  const texts = [...Object.entries(params).map(([key, value]) => `${key}=${value}`), ...given.overrides];
  return drawTrials(sweepDimensions(texts, master), sweeper.trials!, sweeper.seed!);
}

test('there are some', () => expect(names.length).toBeGreaterThan(3));

test.each(names)('%s', async (name) => {
  const text = readFileSync(join(repository, 'experiments', `${name}.yaml`), 'utf8');
  expect(text).toMatch(
    /^(# yaml-language-server: .*\n)?# @package _global_\n(# yaml-language-server: .*\n)?# Question: [^?]*\?/,
  );
  expect(text).toContain(`+experiment=${name}\n`);
  const [, configName] = /npx bowyer --config-name (\w+).*\+experiment=/.exec(text)!;
  const jobs = jobsOf(name, configName);
  expect(jobs.length).toBeGreaterThan(1);
  // Of jobs that differ in the seed alone, one.
  const distinct = new Map(jobs.map((overrides) => [overrides.filter((one) => !/^seed=/.test(one)).join(), overrides]));
  for (const overrides of distinct.values())
    await validateConfig(await composed(configName, ...overrides, 'save_path=somewhere'));
});
