// Tests the sweeps in the folder experiments: the file of each begins with the question that it answers, and every job has a
// valid config.
import { join } from 'node:path';
import { compose, planSweep, sweepDimensions } from '@bowyer/config';
import { repository } from '../../test/command-line.js';
import { composed } from '../../test/composed.js';
import { shippedConfigs } from '../../test/shipped-files.js';
import { validateConfig } from '../config/validate-config.js';
import { searchPaths } from '../program.js';
import { drawTrials } from './search-space.js';
import type { SweeperConfig } from '../keys/sweep-schema.js';

const sweeps = shippedConfigs()
  .filter(({ config }) => config.startsWith('experiment/'))
  .map(({ config, text }) => ({ name: config.slice('experiment/'.length), text }));

const options = (configName: string, overrides: string[]) => ({
  configDirs: [join(repository, 'configs'), ...searchPaths],
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

test('there are some', () => expect(sweeps.length).toBeGreaterThan(10));

test.each(sweeps)('$name', async ({ name, text }) => {
  expect(text).toMatch(/^# @package _global_\n# yaml-language-server: .*\n# Question: [^?]*\?/);
  expect(text).toContain(`+experiment=${name}\n`);
  const [, configName] = /npx bowyer --config-name (\w+).*\+experiment=/.exec(text)!;
  const jobs = jobsOf(name, configName);
  expect(jobs.length).toBeGreaterThan(1);
  // Only one of the jobs that differ only in their seed is checked, since checking takes time.
  const distinct = new Map(jobs.map((overrides) => [overrides.filter((one) => !/^seed=/.test(one)).join(), overrides]));
  for (const overrides of distinct.values())
    await validateConfig(await composed(configName, ...overrides, 'save_path=somewhere'));
});
