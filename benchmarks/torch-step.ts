// The same training step in PyTorch, asked for one step at a time (train_step.py); null where no Python here has torch.
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface TorchStep {
  version: string;
  /** GFLOP/s of its own 1024³ product: below about 30 it found no fast BLAS (Debian: libopenblas0), and nothing follows from the ratio. */
  rate: number;
  /** Forward and backward, ms. */
  gradients: number;
  /** Clipping and AdamW, ms. */
  update: number;
  /** Peak memory of the process so far, GiB. */
  peak: number;
  loss: number;
}

export interface TorchTrainer {
  step(): Promise<TorchStep>;
  close(): void;
}

/** The first Python that imports torch; Debian's own is tried after the one on the path. */
function pythonWithTorch(): string | undefined {
  return ['python3', '/usr/bin/python3'].find((python) => {
    try {
      execFileSync(python, ['-c', 'import torch'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

export function openTorchTrainer(batch: number, tokens: number, threads: number): TorchTrainer | null {
  const python = pythonWithTorch();
  if (!python) return null;
  const script = fileURLToPath(new URL('./train_step.py', import.meta.url));
  const child = spawn(python, [script, ...[batch, tokens, threads].map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async step() {
      child.stdin.write('step\n');
      const { value, done } = await lines.next();
      if (done) throw new Error('train_step.py ended without an answer; see its message above');
      return JSON.parse(value) as TorchStep;
    },
    close: () => child.stdin.end(),
  };
}
