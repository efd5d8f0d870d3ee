// Tests a program's command line as its user sees it: flags, runs and their files, sweeps, failures, and what is printed without
// running.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, type Composition, type SweepRequest } from '../src/index.js';
import { runProgram } from './run-program.js';
import { temporaryTree } from './temporary-tree.js';

const configs = {
  'conf/config.yaml': 'defaults:\n  - agent: ppo\n  - _self_\nseed: 1\nname: ${agent.kind}_${seed}\n',
  'conf/agent/ppo.yaml': 'kind: ppo\nlr: 0.001\n',
  'conf/agent/dqn.yaml': 'kind: dqn\nlr: 0.01\nbuffer: 100\n',
};

const made = (root: string) => readdirSync(root).filter((name) => name !== 'conf');

/** Refuses seed 2. */
const validate = (composition: Composition) => {
  if (composition.config.seed === 2) throw new ConfigError('validation', 'seed must not be 2', [], { keyPath: 'seed' });
};

describe('flags', () => {
  test('overrides may stand before, between and after flags', async () => {
    const { stdout } = await runProgram(temporaryTree(configs), [
      'agent=dqn',
      '--cfg',
      'job',
      'seed=7',
      '-p',
      'agent.kind',
      '--',
      '+x=1',
    ]);
    expect(stdout).toBe('dqn\n');
  });

  test.each([
    [['--config-nam', 'x', '--cfg=job'], `Cannot find primary config 'x'`, 1],
    [['--multirum'], 'did you mean --multirun?', 2],
    [['--agent.lr=1'], 'a setting is changed without dashes: agent.lr=1', 2],
    [['--config-name'], '--config-name needs a value', 2],
    [['--config'], 'ambiguous flag --config', 2],
    [['--multirun=2'], '--multirun takes no value', 2],
    [['--cfg', 'jobs'], 'did you mean job?', 2],
    [['--info', 'origin'], '--info origin needs a key', 2],
    [['--cfg', 'job', '-m'], 'Only one of', 1],
  ])('%j is answered with %j', async (argv, text, exitCode) => {
    const answer = await runProgram(temporaryTree(configs), argv);
    expect(answer.stderr).toContain(text);
    expect(answer.exitCode).toBe(exitCode);
    expect(answer.stderr.startsWith('usage: app')).toBe(exitCode === 2);
  });

  test('a mistyped config name is reported with the nearest name and all names', async () => {
    const { stderr } = await runProgram(temporaryTree({ ...configs, 'conf/archer.yaml': 'a: 1\n' }), ['-cn', 'arhcer']);
    expect(stderr).toContain(`did you mean 'archer'?`);
    expect(stderr).toMatch(/archer, config/);
  });
});

describe('one job', () => {
  test('gets its folder, its log and its environment, which end with it', async () => {
    const root = temporaryTree(configs);
    const env: Record<string, string | undefined> = { KEPT: 'before' };
    const before = process.cwd();
    const argv = [
      'hydra.run.dir=out',
      '+hydra.job.env_set.KEPT=during',
      '+hydra.job.env_set.NEW=${seed}',
      'hydra.job.chdir=true',
      'hydra.verbose=true',
    ];
    const { stdout, exitCode } = await runProgram(root, argv, {
      env,
      job: (context) => {
        context.log('INFO', 'begun');
        context.log('DEBUG', `seen ${context.env.KEPT} ${context.env.NEW}`, 'app.detail');
        expect(process.cwd()).toBe(context.outputDirectory);
        expect(context.composition.setting('hydra.runtime.output_dir')).toBe(path.join(root, 'out'));
      },
    });
    expect(exitCode).toBe(0);
    const log = readFileSync(path.join(root, 'out', 'app.log'), 'utf8');
    expect(log).toMatch(
      /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\]\[app\]\[INFO\] - begun\n.*\[app\.detail\]\[DEBUG\] - seen during 1\n$/,
    );
    expect(stdout).toBe(log);
    expect(env).toEqual({ KEPT: 'before' });
    expect(process.cwd()).toBe(before);
  });

  test('without a log keeps to what hydra.job_logging says', async () => {
    const root = temporaryTree(configs);
    const job = ({ log }: { log: (level: 'INFO' | 'ERROR', message: string) => void }) => {
      log('INFO', 'quiet');
      log('ERROR', 'loud');
    };
    const { stdout, stderr } = await runProgram(root, ['hydra.run.dir=out', 'hydra/job_logging=none'], { job });
    expect([stdout, stderr]).toEqual(['', 'loud\n']);
    expect(readdirSync(path.join(root, 'out'))).toEqual(['.hydra']);
  });

  test('with an invalid config makes no folder', async () => {
    const root = temporaryTree(configs);
    const { exitCode, stderr } = await runProgram(root, ['seed=2'], { validate });
    expect([exitCode, made(root)]).toEqual([1, []]);
    expect(stderr).toContain('seed must not be 2');
  });

  test('that fails reports its overrides and the reason, and the stack on request', async () => {
    const root = temporaryTree(configs);
    const job = () => Promise.reject(new Error('no such game', { cause: new Error('the file is gone') }));
    const brief = await runProgram(root, ['seed=3', 'hydra.run.dir=out'], { job });
    expect(brief.exitCode).toBe(1);
    expect(brief.stderr).toBe(
      `Error executing job with overrides: ['seed=3']\nno such game\ncaused by: the file is gone\n\n` +
        'Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.\n',
    );
    const told = () => Promise.reject(new Error('3 of 4 failed: no such game', { cause: new Error('no such game') }));
    const once = await runProgram(root, ['seed=3', 'hydra.run.dir=out'], { job: told });
    expect(once.stderr).toContain("['seed=3']\n3 of 4 failed: no such game\n\n");
    const full = await runProgram(root, ['seed=3', 'hydra.run.dir=out'], { job, env: { HYDRA_FULL_ERROR: '1' } });
    expect(full.stderr).toMatch(/Error: no such game\n\s+at .*command-line\.test/);
  });

  test('whose folder cannot be made reports it', async () => {
    const root = temporaryTree({ ...configs, taken: 'a file' });
    const { exitCode, stderr } = await runProgram(root, ['hydra.run.dir=taken/out']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`Cannot make the folder '${path.join(root, 'taken/out')}'`);
    expect(stderr).toContain('hydra.run.dir');
  });

  test('leaves a record from which it runs again in its place', async () => {
    const root = temporaryTree(configs);
    await runProgram(root, ['agent=dqn', 'agent.buffer=5', 'hydra.run.dir=out']);
    const changed = { ...configs, 'conf/agent/dqn.yaml': 'kind: other\n' };
    const elsewhere = temporaryTree(changed);
    for (const place of ['out', 'out/.hydra', 'out/.hydra/config.yaml']) {
      const again = await runProgram(elsewhere, ['--experimental-rerun', path.join(root, place)], {
        job: ({ composition, outputDirectory, overrides, stdout }) =>
          void stdout.write(`${String(composition.resolve().name)} ${outputDirectory} ${overrides.join(' ')}`),
      });
      expect(again.stdout).toBe(`dqn_1 ${path.join(root, 'out')} agent=dqn agent.buffer=5`);
    }
    const wrong = await runProgram(root, ['--experimental-rerun', 'conf']);
    expect(wrong.stderr).toContain(`'conf' is not the record of a job`);
  });

  test('leaves a record with flat names, which are those of options in nodes now', async () => {
    const root = temporaryTree(configs);
    const flatNames = { rate: ['agent.lr'], second: ['agent.lr'] };
    await runProgram(root, ['agent=dqn', 'hydra.run.dir=out']);
    const record = 'agent:\n  kind: dqn\n  buffer: 7\nrate: 0.5\nsecond: null\nseed: 4\nold: 1\nname: ${rate}\n';
    writeFileSync(path.join(root, 'out/.hydra/config.yaml'), record);
    const again = await runProgram(root, ['--experimental-rerun', 'out'], {
      flatNames,
      job: ({ composition, outputDirectory, stdout }) =>
        void stdout.write(JSON.stringify([composition.resolve(), outputDirectory])),
    });
    expect(again.stderr).toBe('warning: the record has options that are no more: old\n');
    const expected = { agent: { kind: 'dqn', lr: 0.5, buffer: 7 }, seed: 4, name: 0.5 };
    expect(JSON.parse(again.stdout)).toEqual([expected, path.join(root, 'out')]);
  });

  test('can be a dry run', async () => {
    const root = temporaryTree(configs);
    const { stdout, exitCode } = await runProgram(root, ['--dry-run', 'hydra.run.dir=out'], { validate });
    expect([exitCode, made(root)]).toEqual([0, []]);
    expect(stdout).toContain(path.join(root, 'out'));
  });

  test('a dry run shows how keys came about, of a run and of each job of a sweep', async () => {
    const notesOf = (composition: Composition) => [`lr follows from seed=${String(composition.setting('seed'))}`];
    const dry = async (...argv: string[]) =>
      (await runProgram(temporaryTree(configs), ['--dry-run', ...argv], { notesOf })).stdout;
    expect(await dry('seed=4')).toMatch(/^The config is complete and valid\. .*\n {2}lr follows from seed=4\n$/);
    expect(await dry('-m', 'seed=1,3')).toMatch(
      /^#0 : seed=1 .*\n {2}lr follows from seed=1\n#1 : seed=3 .*\n {2}lr follows from seed=3\n$/,
    );
  });
});

describe('sweeps', () => {
  const failsOnSeed2 = ({
    composition,
    stdout,
  }: {
    composition: Composition;
    stdout: { write(text: string): unknown };
  }) => {
    stdout.write(`seed ${String(composition.config.seed)}\n`);
    if (composition.config.seed === 2) throw new Error('two is too many');
  };
  const seedsRun = (stdout: string) => [...stdout.matchAll(/^seed (\d)$/gm)].map((match) => Number(match[1]));

  test('a job refused keeps all from starting, and nothing is written', async () => {
    const root = temporaryTree(configs);
    const { exitCode, stdout, stderr } = await runProgram(root, ['-m', 'seed=1,2,3'], { validate });
    expect([exitCode, stdout, made(root)]).toEqual([1, '', []]);
    expect(stderr).toContain('In job #1 (seed=2):\nseed must not be 2');
  });

  test('a failed job does not stop its batch, but the next is not started', async () => {
    const root = temporaryTree(configs);
    const argv = ['-m', 'seed=1,2,3,4,5', 'hydra.sweeper.max_batch_size=3', 'hydra.sweep.dir=sw'];
    const { exitCode, stdout, stderr } = await runProgram(root, argv, { job: failsOnSeed2 });
    expect(exitCode).toBe(1);
    expect(seedsRun(stdout)).toEqual([1, 2, 3]);
    expect(stderr.match(/Error executing job with overrides: \['seed=2'\]\ntwo is too many/g)).toHaveLength(1);
    expect(readdirSync(path.join(root, 'sw')).sort()).toEqual(['0', '1', '2', 'multirun.yaml']);
  });

  test('can be defined by a config, which has the open groups and values', async () => {
    const root = temporaryTree({
      'conf/config.yaml': 'defaults:\n  - agent: ???\n  - _self_\nhydra:\n  mode: MULTIRUN\n  sweep: {dir: sw}\n',
      'conf/agent/a.yaml': 'kind: a\n',
      'conf/agent/b.yaml': 'kind: b\n',
    });
    const { exitCode, stdout } = await runProgram(root, ['agent=a,b'], {
      job: ({ jobNumber, composition, stdout: out }) => void out.write(`${jobNumber} ${composition.choices.agent}\n`),
    });
    expect(exitCode).toBe(0);
    expect(stdout.match(/^\d \w$/gm)).toEqual(['0 a', '1 b']);
  });

  test('can be a dry run', async () => {
    const root = temporaryTree(configs);
    const { stdout } = await runProgram(root, ['-m', '--dry-run', 'seed=1,3', 'hydra.sweep.dir=sw'], { validate });
    expect(stdout).toBe(`#0 : seed=1  ->  ${path.join(root, 'sw/0')}\n#1 : seed=3  ->  ${path.join(root, 'sw/1')}\n`);
    expect(made(root)).toEqual([]);
  });

  test('go to the program’s own launcher, whose child processes run the very same job', async () => {
    const root = temporaryTree({ ...configs, 'more/agent/sac.yaml': 'kind: sac\n' });
    const requests: SweepRequest[] = [];
    const argv = ['-cd', 'more', '-m', 'agent=sac,dqn', 'seed=4', 'hydra.sweep.dir=sw it', 'hydra.job.name=other'];
    const launched = await runProgram(root, argv, {
      launch: (request) => {
        requests.push(request);
        return Promise.resolve({ exitCode: 3 });
      },
    });
    expect([launched.exitCode, made(root)]).toEqual([3, ['more']]);
    const [request] = requests as [SweepRequest];
    expect(request.overrides).toEqual(['agent=sac,dqn', 'seed=4']);
    const { jobs } = request.plan();
    const job = await request.composeJob(0, jobs[0]!);
    const directory = request.jobDirectory(job);
    expect(directory).toBe(path.join(root, 'sw it', '0'));
    const child = await runProgram(root, request.jobArguments(0, jobs[0]!, directory), {
      job: ({ composition, outputDirectory, stdout }) =>
        void stdout.write(`${composition.yaml}${outputDirectory} ${String(composition.setting('hydra.job.num'))}`),
    });
    expect(child.stderr).toBe('');
    expect(child.stdout).toBe(`${job.yaml}${directory} 0`);
    expect(readFileSync(path.join(directory, '.hydra/overrides.yaml'), 'utf8')).toBe('- agent=sac\n- seed=4\n');
    expect(existsSync(path.join(directory, 'other.log'))).toBe(true);
  });

  test('if a launcher declines, the basic launcher runs the sweep', async () => {
    const root = temporaryTree(configs);
    const { stdout } = await runProgram(root, ['-m', 'seed=1,3', 'hydra.sweep.dir=sw'], {
      job: failsOnSeed2,
      launch: () => Promise.resolve(undefined),
    });
    expect(seedsRun(stdout)).toEqual([1, 3]);
  });
});

describe('what is shown without running', () => {
  test('--info origin: what set a value, what that replaced, and what it resolves to', async () => {
    const root = temporaryTree(configs);
    const { stdout } = await runProgram(root, ['agent.lr=0.5', '--info', 'origin', 'agent.lr']);
    expect(stdout).toMatch(
      /^agent\.lr: 0\.5\n {2}set by command line: agent\.lr=0\.5 +0\.5\n {2}over {3}conf\/agent\/ppo\.yaml:2:5 +0\.001\n$/,
    );
    const name = await runProgram(root, ['--info', 'origin', 'name']);
    expect(name.stdout).toContain('name: ${agent.kind}_${seed}, which is "ppo_1"');
    const typo = await runProgram(root, ['--info', 'origin', 'agent.lrr']);
    expect(typo.stderr).toContain(`did you mean 'agent.lr'?`);
    expect(typo.exitCode).toBe(1);
  });

  const schema = {
    type: 'object',
    properties: {
      seed: { type: 'integer', minimum: 0, description: 'Every random choice of the run follows from it.' },
      name: { type: ['string', 'null'] },
      agent: {
        description: 'who learns',
        anyOf: [
          { $ref: '#/$defs/dqn' },
          {
            type: 'object',
            properties: {
              kind: { const: 'ppo' },
              lr: { type: 'number', unit: '1/step', description: 'step size of PPO' },
            },
          },
        ],
      },
    },
    $defs: {
      dqn: {
        type: 'object',
        properties: { kind: { const: 'dqn' }, lr: { type: 'number', description: 'step size of DQN' } },
      },
    },
  };

  test('--help: usage, the main options, a line for each node, then groups and configs', async () => {
    const root = temporaryTree(configs);
    const help = await runProgram(root, ['--help', 'agent=dqn'], { describe: () => schema, mainOptions: ['agent.lr'] });
    const parts = [...help.stdout.matchAll(/^(app: .*|usage: app .*|== .* ==)$/gm)].map(([line]) => line);
    expect(parts).toEqual([
      'app: a program with composed configuration',
      'usage: app [--config-name NAME] [KEY=VALUE ...] [GROUP=OPTION ...] [FLAG ...]',
      '== Config ==',
      '== Configuration groups ==',
      '== Primary configs ==',
    ]);
    expect(help.stdout).toContain('(--config-name NAME)\n\nconfig (shown here)\n');
    expect(help.stdout).toContain('agent: dqn, ppo\n');
    expect(help.stdout).toContain('step size of DQN');
    expect(help.stdout).not.toContain('step size of PPO');
    expect(help.stdout).toMatch(/^ {2}agent +\d options {2}who learns$/m);
    expect(help.stdout).not.toContain('Every random choice');
  });

  test('--help NODE and --help OPTION: value, type, unit and meaning', async () => {
    const root = temporaryTree(configs);
    const agent = await runProgram(root, ['--help', 'agent'], { describe: () => schema });
    expect(agent.stdout).toMatch(/^agent: who learns\n/);
    expect(agent.stdout).toContain('  agent.lr=0.001  (number, 1/step)\n      step size of PPO\n');
    const seed = await runProgram(root, ['--help', 'seed', 'seed=1'], { describe: () => schema });
    expect(seed.stdout).toBe('  seed=1  (integer ≥ 0)\n      Every random choice of the run follows from it.\n');
    const none = await runProgram(root, ['--help', 'nothing'], { describe: () => schema });
    expect(none.stderr).toContain('--help nothing: this config has no such node or option');
  });

  test('--help leaves out the groups that a program calls internal', async () => {
    const program = { isInternalGroup: (group: string) => group === 'agent' };
    const { stdout } = await runProgram(temporaryTree(configs), ['--help'], program);
    expect(stdout).not.toContain('agent: dqn, ppo');
    expect(stdout).toContain('agent:\n  kind: ppo\n');
  });

  test('--help without a schema prints the config; --hydra-help the flags', async () => {
    const root = temporaryTree(configs);
    expect((await runProgram(root, ['--help'])).stdout).toContain('agent:\n  kind: ppo\n');
    const { stdout } = await runProgram(root, ['--hydra-help']);
    expect(stdout).toContain('-cn, --config-name NAME');
    expect(stdout).toContain('hydra/job_logging: default, disabled, none, stdout');
  });

  test('--version', async () => {
    expect((await runProgram(temporaryTree(configs), ['--version'], { version: '1.2.3' })).stdout).toBe('app 1.2.3\n');
  });
});
