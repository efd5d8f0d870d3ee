// Detects from the environment variables which MPI launcher has started this process: mpirun of Open MPI or MPICH, or srun.

/** The MPI launcher that has started this process, and the number of processes that it has started. */
export interface Launch {
  launcher: 'Open MPI' | 'MPICH' | 'Slurm';
  size: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the launcher of this process; null for a process that was started without one, or as the only one.
 *
 * Open MPI's mpirun sets OMPI_COMM_WORLD_SIZE, the mpiexec of MPICH and of implementations derived from it PMI_SIZE, and srun
 * SLURM_STEP_NUM_TASKS. The batch script of a Slurm job has Slurm's variables of the job, but not those of a step, so that it is
 * not taken for a rank.
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

/** The environment variable with the path of the MPI library, which replaces the search for the library. */
export const LIBRARY_VARIABLE = 'BOWYER_MPI_LIBRARY';

const openMpi = ['libmpi.so.40', 'libmpi.so.80', 'libmpi.40.dylib', 'libmpi.dylib'];
/**
 * libmpi.so.12 is the common file name of the implementations in the MPICH ABI initiative, such as those of Intel, Cray and
 * MVAPICH.
 */
const mpich = ['libmpich.so.12', 'libmpi.so.12', 'libmpi.12.dylib', 'libmpich.so'];

/**
 * Returns possible file names, the most likely first. Processes that one implementation's launcher has started cannot be joined
 * through another implementation's library.
 */
export function libraryNames(env: Environment): string[] {
  const given = env[LIBRARY_VARIABLE];
  if (given) return [given];
  const isMpich = env.OMPI_COMM_WORLD_SIZE === undefined && env.PMI_SIZE !== undefined && env.PMIX_RANK === undefined;
  return [...(isMpich ? [...mpich, ...openMpi] : [...openMpi, ...mpich]), 'libmpi.so'];
}
