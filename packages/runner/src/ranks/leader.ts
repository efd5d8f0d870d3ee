// Sends the job from rank 0 of a data-parallel run to the other ranks: rank 0 alone reads the command line, and composes and
// checks the config.
import type { MpiRanks } from '@bowyer/mpi';
import type { ResolvedConfig } from '../context/resolved-config.js';

export interface AnnouncedJob {
  config: ResolvedConfig;
  directory: string;
  /** The absolute paths of the user's plugin modules. */
  plugins: readonly string[];
}

export class Leader {
  #announced = false;

  constructor(readonly ranks: MpiRanks) {}

  async announce(job: AnnouncedJob): Promise<void> {
    this.#announced = true;
    await shareJob(this.ranks, job);
  }

  /** Ends the other ranks if the command line starts no job, as with `--help`. */
  async dismiss(): Promise<void> {
    if (!this.#announced) await shareJob(this.ranks, null);
  }

  /**
   * Refuses a command that several processes cannot run together.
   *
   * @throws always
   */
  refuse(what: string, remedy: string): never {
    throw new Error(
      `${what} cannot run on several processes, and ${this.ranks.size} were started by mpirun or srun\n  ${remedy}`,
    );
  }
}

/** Every rank must call it. @param job on rank 0; null on the others */
export async function shareJob(ranks: MpiRanks, job: AnnouncedJob | null): Promise<AnnouncedJob | null> {
  await ranks.barrier();
  return ranks.gather(job)[0];
}
