// Makes one example of a prompt and its continuation, of which the continuation is scored.
import type { TokenExample } from '../../src/batching/token-batches.js';

export function continuationExample(prompt: readonly number[], continuation: readonly number[]): TokenExample {
  const all = [...prompt, ...continuation];
  return {
    ids: Int32Array.from(all.slice(0, -1)),
    targets: Int32Array.from(all.slice(1)),
    weights: Float32Array.from(all.slice(1), (_, t) => Number(t >= prompt.length - 1)),
  };
}
