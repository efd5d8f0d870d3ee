import { launchOf, libraryNames } from './launcher.js';

test.each([
  ['alone', {}, null],
  ["Open MPI's mpirun", { OMPI_COMM_WORLD_SIZE: '4', PMIX_RANK: '0' }, { launcher: 'Open MPI', size: 4 }],
  ["MPICH's mpiexec", { PMI_SIZE: '2', PMI_RANK: '1' }, { launcher: 'MPICH', size: 2 }],
  ['mpirun -n 1', { OMPI_COMM_WORLD_SIZE: '1' }, null],
  ['srun', { SLURM_STEP_ID: '0', SLURM_STEP_NUM_TASKS: '8', PMI_SIZE: '8' }, { launcher: 'Slurm', size: 8 }],
  ['the batch script of a job with 8 tasks', { SLURM_JOB_ID: '7', SLURM_NTASKS: '8', SLURM_PROCID: '0' }, null],
])('%s', (_, env, expected) => {
  expect(launchOf(env as Record<string, string>)).toEqual(expected);
});

test('the library of the launcher is looked for first, and a variable names another one', () => {
  expect(libraryNames({ OMPI_COMM_WORLD_SIZE: '2' })[0]).toBe('libmpi.so.40');
  expect(libraryNames({ PMI_SIZE: '2' })[0]).toBe('libmpich.so.12');
  expect(libraryNames({ PMI_SIZE: '2', PMIX_RANK: '0' })[0]).toBe('libmpi.so.40'); // srun --mpi=pmix sets both variables
  expect(libraryNames({ PMI_SIZE: '2', BOWYER_MPI_LIBRARY: '/opt/libmpi.so' })).toEqual(['/opt/libmpi.so']);
});
