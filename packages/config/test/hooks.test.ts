// Tests the hooks of a program's command line: `prepare`, `validate` of a config that is only printed, and old names of keys.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, recompose, type CommandLine, type PrepareContext } from '../src/index.js';
import { runProgram } from './run-program.js';
import { temporaryTree } from './temporary-tree.js';

const configs = {
  'conf/config.yaml':
    'defaults:\n  - algorithm: archer\n  - _self_\nseed: 1\nport: 80\nserver:\n  host: a\n  idle: 60\n',
  'conf/algorithm/archer.yaml': '# @package _global_\nlr: 0.001\n',
  'conf/algorithm/chai.yaml': '# @package _global_\nlr: 0.01\n',
};

/** Removes the keys of a server, and rejects overrides of them. */
const withoutServer: CommandLine['prepare'] = (composition, { overrides }) => {
  const refused = overrides.find(({ key }) => key === 'port' || key.startsWith('server.'));
  if (refused)
    throw new ConfigError('unknown-key', `'${refused.key}' belongs to task=serve`, [], { keyPath: refused.key });
  return composition.without(['port', 'server.idle', 'absent.key']);
};

describe('prepare', () => {
  test('decides what is printed, saved and run', async () => {
    const root = temporaryTree(configs);
    const program = { prepare: withoutServer };
    const pruned = 'lr: 0.001\nseed: 1\nserver:\n  host: a\n';
    expect((await runProgram(root, ['--cfg', 'job'], program)).stdout).toBe(pruned);
    expect((await runProgram(root, ['--help'], program)).stdout).toContain(pruned);
    expect((await runProgram(root, ['--info', 'config'], program)).stdout).toContain(pruned);
    expect((await runProgram(root, ['hydra.run.dir=out'], program)).stdout).toBe(pruned);
    expect(readFileSync(path.join(root, 'out/.hydra/config.yaml'), 'utf8')).toBe(pruned);
    const query = { ...program, env: { COMP_LINE: 'app ' } };
    const { stdout } = await runProgram(root, ['-sc', 'query=bash'], query);
    expect(stdout.trim().split(' ')).toEqual(expect.arrayContaining(['algorithm=', 'lr=', 'seed=']));
    expect(stdout).not.toContain('port=');
  });

  test.each([
    [['port=1']],
    [['server.idle=5', '--cfg', 'job']],
    [['+server.new=5', '--help']],
    [['-m', 'port=1,2']],
    [['--info', 'defaults', '++port=3']],
  ])('%j is refused before anything is created or printed', async (argv) => {
    const root = temporaryTree(configs);
    const { exitCode, stdout, stderr } = await runProgram(root, argv, { prepare: withoutServer });
    expect([exitCode, stdout, readdirSync(root)]).toEqual([1, '', ['conf']]);
    expect(stderr).toContain('belongs to task=serve');
  });

  test('is called for the start of a sweep and for each of its jobs', async () => {
    const root = temporaryTree(configs);
    const seen: PrepareContext[] = [];
    const answer = await runProgram(root, ['-m', 'seed=1,2', 'algorithm=chai', '~lr', 'hydra.sweep.dir=sw'], {
      prepare: (composition, context) => {
        seen.push(context);
        return Promise.resolve(composition.without(['port', 'server']));
      },
    });
    expect(answer.stderr).toBe('');
    expect(seen.map(({ purpose }) => purpose)).toEqual(['sweep', 'run', 'run']);
    expect(seen[0]!.overrides.find(({ key }) => key === 'seed')!.value).toBeUndefined();
    expect(seen[2]!.cwd).toBe(root);
    expect(seen[2]!.overrides.filter(({ key }) => !key.startsWith('hydra'))).toEqual([
      { kind: 'change', key: 'seed', package: undefined, isGroup: false, value: 2, text: 'seed=2' },
      { kind: 'change', key: 'algorithm', package: undefined, isGroup: true, value: 'chai', text: 'algorithm=chai' },
      { kind: 'delete', key: 'lr', package: undefined, isGroup: false, value: null, text: '~lr=null' },
    ]);
    expect(readFileSync(path.join(root, 'sw/1/.hydra/config.yaml'), 'utf8')).toBe('seed: 2\n');
  });
});

describe('--cfg with an invalid value', () => {
  const refuse: CommandLine['validate'] = (composition, { purpose }) => {
    if (composition.config.seed === 2) throw new ConfigError('validation', `seed must not be 2 (${purpose})`, ['in x']);
  };

  test.each(['job', 'all'])('%s: prints the config, then reports what is invalid, and exits with 0', async (type) => {
    const { exitCode, stdout, stderr } = await runProgram(temporaryTree(configs), ['--cfg', type, 'seed=2'], {
      validate: refuse,
    });
    expect(stdout).toContain('\nseed: 2\n');
    expect([exitCode, stderr]).toEqual([0, 'The config is invalid:\nseed must not be 2 (cfg)\n  in x\n']);
  });

  test('a valid config is printed without a message', async () => {
    const { stderr } = await runProgram(temporaryTree(configs), ['--cfg', 'job'], { validate: refuse });
    expect(stderr).toBe('');
  });
});

describe('old names of keys', () => {
  const program = {
    overrideAliases: { agent_type: 'algorithm', rate: 'lr' },
  };
  const rates = (root: string) =>
    readdirSync(path.join(root, 'sw'))
      .filter((name) => /^\d$/.test(name))
      .map((name) => /lr: (.*)/.exec(readFileSync(path.join(root, 'sw', name, '.hydra/config.yaml'), 'utf8'))![1]);

  test.each([
    ['agent_type=chai', 'lr: 0.01\n'],
    ['+agent_type=chai', 'lr: 0.01\n'],
    [`agent_type='chai'`, 'lr: 0.01\n'],
    ['rate=7', 'lr: 7\n'],
  ])('%s is read as the new one', async (override, line) => {
    const { stdout, stderr } = await runProgram(temporaryTree(configs), ['--cfg', 'job', override], program);
    expect([stdout.startsWith(line), stderr]).toEqual([true, '']);
  });

  test('in a sweep, and in hydra.sweeper.params', async () => {
    const root = temporaryTree(configs);
    await runProgram(root, ['-m', 'agent_type=archer,chai', 'hydra.sweep.dir=sw'], program);
    expect(rates(root)).toEqual(['0.001', '0.01']);
    const byConfig = temporaryTree({
      ...configs,
      'conf/config.yaml': `${configs['conf/config.yaml']}hydra: {mode: MULTIRUN, sweep: {dir: sw}, sweeper: {params: {agent_type: 'chai,archer'}}}\n`,
    });
    await runProgram(byConfig, [], program);
    expect(rates(byConfig)).toEqual(['0.01', '0.001']);
  });

  test('an old and a new name together are refused', async () => {
    const argv = ['agent_type=chai', 'algorithm=archer'];
    const { exitCode, stderr } = await runProgram(temporaryTree(configs), argv, program);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`'agent_type' is the old name of 'algorithm'`);
  });
});

describe('overview', () => {
  /** Returns an overview for a program that does nothing without overrides. */
  const overview: CommandLine['overview'] = (overrides) =>
    Promise.resolve(overrides.length === 0 ? 'what it can do\n' : undefined);

  test.each([[[]], [['-m']], [['--config-dir', 'conf']]])('%j prints it, and nothing runs', async (argv) => {
    const root = temporaryTree(configs);
    expect(await runProgram(root, argv, { overview })).toEqual({ exitCode: 0, stdout: 'what it can do\n', stderr: '' });
    expect(readdirSync(root)).toEqual(['conf']);
  });

  test.each([[['--run']], [['seed=2']], [['--config-name', 'config']]])('%j runs the config', async (argv) => {
    const root = temporaryTree(configs);
    expect((await runProgram(root, argv, { overview })).stdout).toContain('lr: 0.001\n');
    expect(readdirSync(root)).toContain('outputs');
  });

  test('a flag that prints or checks a config still does so', async () => {
    const root = temporaryTree(configs);
    expect((await runProgram(root, ['--cfg', 'job'], { overview })).stdout).toContain('lr: 0.001\n');
    expect((await runProgram(root, ['--dry-run'], { overview })).stdout).toContain('The config is complete');
  });

  test('a program learns whether its own primary config was chosen', async () => {
    const seen: boolean[] = [];
    const translate: CommandLine['translate'] = (overrides, { isDefaultConfig }) => {
      seen.push(isDefaultConfig);
      return Promise.resolve(overrides);
    };
    for (const argv of [['seed=2'], ['--config-name', 'config']])
      await runProgram(temporaryTree(configs), argv, { translate });
    expect(seen).toEqual([true, false]);
  });
});

test('usage lines show how to call the program', async () => {
  const { stderr } = await runProgram(temporaryTree(configs), ['--nothing'], { commandPrefix: 'npx app' });
  expect(stderr).toMatch(/^usage: npx app \[--help\]/);
});

describe('a folder of one’s own', () => {
  test('given by --config-dir can hold the primary config and options of known groups; values know their file', async () => {
    const root = temporaryTree({
      ...configs,
      'mine/guess.yaml': 'defaults:\n  - config\n  - override /algorithm: own\n  - _self_\nplugins: [./guess.ts]\n',
      'mine/algorithm/own.yaml': '# @package _global_\nlr: 5\n',
    });
    const argv = ['--config-dir', 'mine', '--config-name', 'guess'];
    const { stderr } = await runProgram(root, [...argv, 'seed=3', 'plugins=extend_list(./b.ts)'], {
      job: ({ composition }) => {
        expect(composition.config).toMatchObject({ lr: 5, seed: 3, plugins: ['./guess.ts', './b.ts'] });
        const file = (key: string) => composition.fileOf(key);
        expect(file('plugins')).toBe(path.join(root, 'mine/guess.yaml'));
        expect([file('plugins[0]'), file('plugins[1]')]).toEqual([path.join(root, 'mine/guess.yaml'), undefined]);
        expect(file('lr')).toBe(path.join(root, 'mine/algorithm/own.yaml'));
        expect(file('port')).toBe(path.join(root, 'conf/config.yaml'));
        expect(file('seed')).toBeUndefined();
      },
    });
    expect(stderr).not.toContain('Error');
  });
});

describe('translate', () => {
  const translate: CommandLine['translate'] = (overrides, { compose }) => {
    const { choices } = compose(overrides.filter((text) => !text.startsWith('rate=')));
    return Promise.resolve(
      overrides.map((text) => text.replace(/^rate=/, choices.algorithm === 'chai' ? 'port=' : 'lr=')),
    );
  };

  test('changes the overrides before they are used, also in a sweep', async () => {
    const root = temporaryTree(configs);
    expect((await runProgram(root, ['rate=5', '--cfg', 'job'], { translate })).stdout).toMatch(/^lr: 5$/m);
    const chai = await runProgram(root, ['rate=5', 'algorithm=chai', '--cfg', 'job'], { translate });
    expect(chai.stdout).toMatch(/^port: 5$/m);
    const sweep = await runProgram(root, ['-m', 'rate=5,6', '--dry-run', 'hydra.sweep.dir=sw'], { translate });
    expect(sweep.stdout).toMatch(/^#0 : lr=5 .*\n#1 : lr=6 /);
  });
});

test('recompose puts further overrides before those that are there', async () => {
  const root = temporaryTree(configs);
  const prepare: CommandLine['prepare'] = (composition) =>
    recompose(composition, ['algorithm=chai', 'seed=7', 'port=8'], { source: 'the test' });
  const { stdout } = await runProgram(root, ['port=9', '--cfg', 'job'], { prepare });
  expect(stdout).toBe('lr: 0.01\nseed: 7\nport: 9\nserver:\n  host: a\n  idle: 60\n');
});
