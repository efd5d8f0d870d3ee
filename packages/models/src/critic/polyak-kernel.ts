// Moves the critic's target network towards its online network by Polyak averaging; runs in the device's worker thread.
import type { KernelCall } from '@bowyer/graph';
import { polyakInPlace } from '../wasm/elementwise-simd.js';

/** x̄ ← (1 − τ) x̄ + τ x for every parameter; τ = 1 copies. Source: Lillicrap et al. 2016 (arXiv:1509.02971), section 3. */
export function polyakStep({ states, args }: KernelCall<'target' | 'online', { tau: number }>): null {
  for (const [name, target] of Object.entries(states.target)) {
    polyakInPlace(target.data as Float32Array, states.online[name].data as Float32Array, args.tau);
  }
  return null;
}
