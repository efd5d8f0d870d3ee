// The same training step in PyTorch, asked for one step at a time (train_step.py); none where no Python here has torch.
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface TorchStep {
  /** Forward and backward, ms. */
  gradients: number;
  /** Clipping and AdamW, ms. */
  update: number;
  /** Peak memory of the process so far, GiB. */
  peak: number;
  loss: number;
}

export interface TorchTrainer {
  /** Version, and how its BLAS was configured. */
  name: string;
  /** GFLOP/s of its own 1024³ product: below about 30 it found no fast BLAS, and nothing follows from the ratio. */
  rate: number;
  step(): Promise<TorchStep>;
  close(): void;
}

export const HOW_TO_GET_TORCH =
  'apt-get install python3-torch libopenblas0 (Debian; without the second its products are 100 times too slow), or PYTHON=/path/to/python with torch';

/** Kernels of OpenBLAS that are measured in addition to those it selects: it recognizes few CPU models and is slow on others. */
const CORE_TYPES = ['SkylakeX', 'Haswell'];

const script = fileURLToPath(new URL('./train_step.py', import.meta.url));

/**
 * The PyTorch step of the first Python with torch, as it is installed; and once more, if that is faster, with those
 * products of its BLAS that are the fastest here.
 */
export function openTorchTrainers(batch: number, tokens: number, threads: number): TorchTrainer[] {
  const found = pythonWithTorch();
  if (!found) return [];
  const { python, version } = found;
  const measured = [undefined, ...CORE_TYPES].map((coreType) => {
    const env = { ...process.env, ...(coreType && { OPENBLAS_CORETYPE: coreType }) };
    return { coreType, env, rate: productRate(python, threads, env) };
  });
  const fastest = measured.reduce((a, b) => (b.rate > 1.1 * a.rate ? b : a));
  return [...new Set([measured[0], fastest])].map(({ coreType, env, rate }) => {
    const child = spawn(python, [script, ...[batch, tokens, threads].map(String)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env,
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const setting = coreType ? `OPENBLAS_CORETYPE=${coreType}` : 'as installed';
    return {
      name: `PyTorch ${version}, ${setting}`,
      rate,
      async step() {
        child.stdin.write('step\n');
        const { value, done } = await lines.next();
        if (done) throw new Error('train_step.py ended without an answer; see its message above');
        return JSON.parse(value) as TorchStep;
      },
      close: () => child.stdin.end(),
    };
  });
}

/** The first Python that imports torch; Debian's own is tried after the one on the path. */
function pythonWithTorch(): { python: string; version: string } | undefined {
  for (const python of [process.env.PYTHON, 'python3', '/usr/bin/python3']) {
    if (!python) continue;
    try {
      const version = execFileSync(python, ['-c', 'import torch; print(torch.__version__)'], {
        stdio: ['ignore', 'pipe', 'ignore'],
        encoding: 'utf8',
      });
      return { python, version: version.trim() };
    } catch {
      // without torch, or no Python at all: the next one
    }
  }
  return undefined;
}

/** GFLOP/s of a 1024³ product, best of five. */
function productRate(python: string, threads: number, env: NodeJS.ProcessEnv): number {
  const text = execFileSync(python, [script, 'rate', String(threads)], { env, encoding: 'utf8' });
  return Number(text);
}
