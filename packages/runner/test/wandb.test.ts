// Tests ArCHer's keys for Weights & Biases, its sweeps, and the parameters of their trials.
import { compose } from '@bowyer/config';
import { WandbServer } from '@bowyer/testing';
import { join } from 'node:path';
import { withoutSecrets, withoutSecretsOf, withWandb } from '../src/config/secrets.js';
import { overrideOf } from '../src/tasks/wandb-agent/override-of.js';
import { makeWandbSweep } from '../src/sweep/wandb-sweep.js';
import { bowyer } from '../src/program.js';
import { repository } from './command-line.js';

const configs = join(repository, 'configs');
const { flatNames } = bowyer([]);
const composed = (...overrides: string[]) =>
  compose({ configDirs: [configs], configName: 'archer_20q', overrides, flatNames });

test('a key on the command line or in a file becomes an environment variable, and is in no config', () => {
  const env: Record<string, string | undefined> = {};
  expect(withoutSecrets(['a=b', "wandb_key='secret'", '+wandb_key=other', "wandb_key=''"], env)).toEqual(['a=b']);
  expect(env).toEqual({ WANDB_API_KEY: 'other' });
  const safe = withoutSecretsOf(composed('+wandb_key=in_a_file'), env);
  expect([env.WANDB_API_KEY, safe.config.wandb_key]).toEqual(['in_a_file', undefined]);
});

test('use_wandb=true is logger=wandb', () => {
  const logger = (...overrides: string[]) => withWandb(composed(...overrides), configs).config.logger as object;
  expect(logger('+use_wandb=true', 'logger=[csv]')).toEqual(composed('logger=[csv,wandb]').config.logger);
  expect(logger('+use_wandb=true', 'logger=[wandb]', 'logger.wandb.mode=offline')).toMatchObject({
    wandb: { mode: 'offline' },
  });
  expect(Object.keys(logger('logger=[csv]'))).toEqual(['csv']);
});

const parameters: [unknown, string][] = [
  [0.0003, '0.0003'],
  [true, 'true'],
  [null, 'null'],
  ['linear', 'linear'],
  ['true', "'true'"],
  ["it's", "'it\\'s'"],
  [[1, 'a b'], "[1,'a b']"],
  [{ a: 1 }, '{a:1}'],
];

test('parameters of a sweep are overrides that give the same values', () => {
  expect(parameters.map(([value]) => overrideOf('k', value))).toEqual(parameters.map(([, text]) => `k=${text}`));
  const { config } = composed(...parameters.map(([value], i) => `+${overrideOf(`k${i}`, value)}`));
  expect(parameters.map((_, i) => config[`k${i}`])).toEqual(parameters.map(([value]) => value));
});

test('what is swept over reaches a trial as what was typed', async () => {
  const typed = [
    'use_lora=True,False',
    'baseline_lr=null,1e-3',
    'logger=[csv],[]',
    `run_name='a b','null',"it's, \\\\ new"`,
  ];
  const master = composed();
  let said = '';
  const program = { programName: 'bowyer', env: {}, stdout: { write: (text: string) => (said += text) } };
  const request = { master, overrides: typed, program, dryRun: true } as unknown as Parameters<
    typeof makeWandbSweep
  >[0];
  const sweeper = { kind: 'wandb', method: 'grid', metric: 'eval/win_rate', direction: 'maximize' } as const;
  await makeWandbSweep(request, sweeper);
  const { parameters: swept } = JSON.parse(said) as { parameters: Record<string, { values: unknown[] }> };
  expect(Object.entries(swept).map(([key, { values }]) => values.map((value) => overrideOf(key, value)))).toEqual([
    ['use_lora=true', 'use_lora=false'],
    ['baseline_lr=null', 'baseline_lr=0.001'],
    ['logger=[csv]', 'logger=[]'],
    ["run_name='a b'", "run_name='null'", String.raw`run_name='it\'s, \\ new'`],
  ]);
});

test('a grid has all of its points, however many; fewer are said, and an interval has none', async () => {
  const said: string[] = [];
  const sweepOf = async (overrides: string[], sweeper: object) => {
    let printed = '';
    const program = { programName: 'bowyer', env: {}, stdout: { write: (text: string) => (printed += text) } };
    const announce = (line: string) => said.push(line);
    const request = { master: composed(), overrides, program, announce, dryRun: true } as unknown as Parameters<
      typeof makeWandbSweep
    >[0];
    await makeWandbSweep(request, { kind: 'wandb', metric: 'eval/win_rate', direction: 'maximize', ...sweeper });
    return (JSON.parse(printed) as { run_cap?: number }).run_cap;
  };
  const shipped = composed('sweeper=wandb').setting('sweeper') as { trials: number | null };
  expect(shipped.trials).toBeNull();
  const grid = { method: 'grid', trials: shipped.trials };
  const points = ['seed=range(0,12)', 'lm_lr=1e-4,2e-4,3e-4,4e-4'];
  expect(await sweepOf(points, grid)).toBeUndefined();
  expect(await sweepOf(points, { ...grid, trials: 48 })).toBe(48);
  expect(said).toEqual([]);
  expect(await sweepOf(points, { ...grid, trials: 16 })).toBe(16);
  expect(said).toEqual([
    'sweeper.trials=16: W&B ends the sweep after 16 of the 48 points of its grid; sweeper.trials=null tries all',
  ]);
  for (const method of ['random', 'bayes']) expect(await sweepOf(points, { method, trials: null })).toBe(16);
  await expect(sweepOf(['lm_lr=interval(1e-5,1e-3)', 'seed=0,1'], grid)).rejects.toThrow(
    'sweeper.method=grid: lm_lr is an interval, which has no points',
  );
});

test('sweeper=wandb makes a sweep of what varies, and fixes the rest in its command', async () => {
  const server = await WandbServer.start();
  const env = { WANDB_BASE_URL: server.url, WANDB_API_KEY: server.key };
  let said = '';
  const overrides = [
    'seed=0,1',
    'algorithm=archer,chai',
    'lm_lr=tag(log,interval(1e-5,1e-3))',
    'iterations=3',
    'sweeper=wandb',
  ];
  const program = { commandPrefix: 'npx bowyer', env, stdout: { write: (text: string) => (said += text) } };
  const master = compose({ configDirs: [configs], configName: 'archer_20q', overrides, flatNames, mode: 'multirun' });
  const request = { master, overrides, program, announce: () => {} } as unknown as Parameters<typeof makeWandbSweep>[0];
  const sweeper = {
    kind: 'wandb',
    method: 'bayes',
    metric: 'eval/win_rate',
    direction: 'maximize',
    trials: 4,
  } as const;
  try {
    await makeWandbSweep(request, sweeper);
  } finally {
    await server.close();
  }
  const [[, { variables }]] = [...server.sweeps];
  expect(variables).toMatchObject({ projectName: 'llm_rl_20q', entityName: null });
  expect(JSON.parse(variables.config as string)).toEqual({
    method: 'bayes',
    metric: { name: 'eval/win_rate', goal: 'maximize' },
    parameters: {
      seed: { values: [0, 1] },
      algorithm: { values: ['archer', 'chai'] },
      lm_lr: { distribution: 'log_uniform_values', min: 1e-5, max: 1e-3 },
    },
    command: [
      '${env}',
      'npx',
      'bowyer',
      '--config-name',
      'archer_20q',
      'iterations=3',
      'hydra.mode=RUN',
      'logger=[wandb]',
      '${args_no_hyphens}',
    ],
    run_cap: 4,
  });
  expect(said).toContain(
    'npx bowyer --config-name wandb_agent task.sweep=mock_server_entity/llm_rl_20q/sweep0 ' +
      `'task.command=[--config-name,archer_20q,"iterations=3","hydra.mode=RUN","logger=[wandb]"]'`,
  );
});
