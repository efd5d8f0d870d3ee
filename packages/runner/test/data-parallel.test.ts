// Tests that two processes under mpirun train the same weights as one process. Needs an MPI; Debian's is openmpi-bin.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readSafetensors } from '@bowyer/checkpoints';
import { newFolder, when } from '@bowyer/testing';
import { repository, run, tinyGame } from './command-line.js';

const mpirun = ['mpirun', '--allow-run-as-root', '--oversubscribe', '--bind-to', 'none'];
const hasMpi = spawnSync('mpirun', ['--version']).stdout?.toString().includes('Open MPI') ?? false;
const bin = join(repository, 'packages', 'runner', 'bin', 'bowyer.js');

const folder = newFolder();

const small = [
  'iterations=2',
  'save_freq=2',
  'warmup_iter=1',
  'epochs=2',
  'actor_epochs=1',
  'test_size=2',
  'threads=1',
];
const command = (name: string, ...options: string[]) => [
  ...tinyGame('archer_20q'),
  ...small,
  ...options,
  `save_path=${join(folder, name)}`,
  `cache_dir=${join(folder, 'cache')}`,
];

when(hasMpi, 'no mpirun of Open MPI').test(
  'two ranks, with divided optimizers, end with the weights of one process, and only one of them writes',
  async () => {
    expect(await run(command('one'))).toMatchObject({ code: 0 });
    const [program, ...options] = mpirun;
    const args = [...options, '-n', '2', process.execPath, bin, ...command('two', 'distributed.shard_optimizer=true')];
    const two = spawnSync(program, args, { cwd: repository, timeout: 120_000 });
    expect({ status: two.status, errors: two.stderr.toString() }).toMatchObject({ status: 0 });
    const said = `2 processes share this run, 1 thread each: ranks 0 to 1 on ${hostname()}`;
    expect(await readFile(join(folder, 'two', 'run.log'), 'utf8')).toContain(said);
    expect(two.stdout.toString()).toContain(said); // after the table of results
    const results = JSON.parse(await readFile(join(folder, 'two', 'results.json'), 'utf8')) as object;
    expect(results).toMatchObject({ processes: { ranks: 2, threads: [1, 1], hosts: [hostname(), hostname()] } });
    const lines = async (name: string) => (await readFile(join(folder, name, 'metrics.jsonl'), 'utf8')).split('\n');
    expect(await lines('two')).toHaveLength((await lines('one')).length);
    for (const file of ['policy/model', 'policy/optimizer', 'critic/online', 'critic/optimizer']) {
      const [one, other] = await Promise.all(
        ['one', 'two'].map((name) =>
          readSafetensors(join(folder, name, 'checkpoints', '000002', `${file}.safetensors`)),
        ),
      );
      expect(Object.keys(other).sort()).toEqual(Object.keys(one).sort());
      const differences = Object.entries(one).map(([name, { data }]) =>
        data.reduce((worst, value, i) => Math.max(worst, Math.abs(value - other[name].data[i])), 0),
      );
      expect(Math.max(...differences)).toBeLessThan(1e-4);
    }
  },
  180_000,
);

test('a process that was started as one of several says what it misses', async () => {
  const env = { OMPI_COMM_WORLD_SIZE: '2', BOWYER_MPI_LIBRARY: '/nowhere/libmpi.so' };
  const { code, stderr } = await run(command('none'), { env });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(
      '  install the library of the launcher (Debian: apt-get install libopenmpi3, or libmpich12), or name it:\n' +
        '  BOWYER_MPI_LIBRARY=/path/to/libmpi.so; a run of one process needs none: start bowyer without mpirun or srun',
    ),
  });
  expect(existsSync(join(folder, 'none'))).toBe(false);
});
