import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { adapterProblems } from './adapter-problems.js';

const folder = newFolder();
beforeAll(async () => {
  // A run's folder is read as its best agent.
  await mkdir(join(folder, 'run', 'checkpoints', 'best'), { recursive: true });
  await writeFile(join(folder, 'run', 'checkpoints', 'best', 'adapter_config.json'), '{}');
  await mkdir(join(folder, 'base'));
});

const messages = (config: Parameters<typeof adapterProblems>[0]) =>
  adapterProblems({ model: join(folder, 'base'), ...config }).map(({ key, message }) => [key, message]);

test('a run that trained an adapter can be served as one; without adapters nothing is reported', () => {
  expect(messages({})).toEqual([]);
  expect(messages({ adapters: { a: join(folder, 'run') }, maxAdapters: 1, maxAdapterRank: 4 })).toEqual([]);
  expect(messages({ runtimeAdapters: [folder] })).toEqual([]);
});

test('an adapter cannot have the name under which a run’s agent is served: that of the run', () => {
  const named = (model: string) => messages({ model: join(folder, model), adapters: { run: join(folder, 'run') } });
  expect(named('base')).toEqual([]);
  expect(named('run')).toContainEqual(['task.adapters', "task.adapters: 'run' is the name of the model itself"]);
});

test('keys without adapters, and folders that cannot be served, are reported', () => {
  expect(messages({ maxAdapters: 2, adapterTargetModules: 'all-linear' })).toEqual([
    ['task.max_adapters', 'task.max_adapters=2 has no effect: no adapters are served'],
    ['task.adapter_target_modules', 'task.adapter_target_modules=all-linear has no effect: no adapters are served'],
  ]);
  const [run, base, none] = ['run', 'base', 'none'].map((name) => join(folder, name));
  const adapters = { base: run, b: base, c: none };
  expect(messages({ adapters, maxAdapters: 2, follow: 'runs/x', runtimeAdapters: [none] })).toEqual([
    [
      'task.follow',
      'task.follow=runs/x replaces the weights, and adapters belong to the weights that they were trained with',
    ],
    ['task.adapters', `task.adapters: the folder of 'b', ${base}, contains no adapter`],
    ['task.adapters', `task.adapters: the folder of 'c', ${none}, is not there`],
    ['task.runtime_adapters', `task.runtime_adapters: there is no folder ${none}`],
    ['task.adapters', "task.adapters: 'base' is the name of the model itself"],
    ['task.max_adapters', 'task.max_adapters is 2, and task.adapters has 3'],
  ]);
  expect(messages({ adapters: { a: run }, model: run })).toEqual([
    ['task.model', `task.model=${run} is an adapter itself`],
  ]);
});
