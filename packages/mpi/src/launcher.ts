// Detects the launcher of this process from the environment: mpirun of Open MPI or MPICH, or srun.

/** The launcher of this process, and the number of processes that it started. */
export interface Launch {
  launcher: 'Open MPI' | 'MPICH' | 'Slurm';
  size: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the launcher; null for a process that was started alone, or as the only one.
 *
 * Open MPI's mpirun sets OMPI_COMM_WORLD_SIZE, the mpiexec of MPICH and its relatives PMI_SIZE, and srun SLURM_STEP_NUM_TASKS.
 * The process of a batch script itself has Slurm's variables of the job, but none of a step.
 */
export function launchOf(env: Environment): Launch | null {
  const found: [Launch['launcher'], string | undefined][] = [
    ['Open MPI', env.OMPI_COMM_WORLD_SIZE],
    ['Slurm', env.SLURM_STEP_ID === undefined ? undefined : env.SLURM_STEP_NUM_TASKS],
    ['MPICH', env.PMI_SIZE],
  ];
  for (const [launcher, text] of found) {
    const size = Number(text);
    if (text !== undefined && size > 1) return { launcher, size };
  }
  return null;
}

/** The environment variable that names the library and overrides the search for it. */
export const LIBRARY_VARIABLE = 'BOWYER_MPI_LIBRARY';

const openMpi = ['libmpi.so.40', 'libmpi.so.80', 'libmpi.40.dylib', 'libmpi.dylib'];
/** libmpi.so.12 is the common name in the MPICH ABI initiative, of Intel, Cray and MVAPICH too. */
const mpich = ['libmpich.so.12', 'libmpi.so.12', 'libmpi.12.dylib', 'libmpich.so'];

/** Returns possible names of the library, the most likely first: it can only join processes that its own launcher started. */
export function libraryNames(env: Environment): string[] {
  const given = env[LIBRARY_VARIABLE];
  if (given) return [given];
  const isMpich = env.OMPI_COMM_WORLD_SIZE === undefined && env.PMI_SIZE !== undefined && env.PMIX_RANK === undefined;
  return [...(isMpich ? [...mpich, ...openMpi] : [...openMpi, ...mpich]), 'libmpi.so'];
}
