// Checks the gradients of every operator in a web page, and posts the results.
import { checkGradients, openDevice } from '../src/index.js';
import type { Value } from '../src/ir.js';
import { operatorSamples } from './operator-samples.js';

/** Returns 'agrees', 'is refused' or the problem for each operator. */
export async function gradientsInPage(): Promise<Record<string, string>> {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const found: Record<string, string> = {};
  for (const [name, samples] of Object.entries(operatorSamples)) {
    if (Array.isArray(samples)) {
      // The other samples have the same kernels, and ops.test.ts checks their rules.
      const comparisons = await checkGradients(device, samples[0]!, { step: 1e-2 });
      const wrong = comparisons.filter(({ error }) => !(error < 1e-3));
      found[name] = wrong.length === 0 ? 'agrees' : JSON.stringify(wrong);
      continue;
    }
    const { inputs, build } = samples.flat;
    found[name] = await checkGradients(
      device,
      { inputs, build: (g, x) => g.cast(build(g, x) as Value, 'float32') },
      { step: 1e-2 },
    ).then(
      () => 'is not refused',
      ({ name, message }: Error) => (name === 'NotDifferentiableError' ? 'is refused' : message),
    );
  }
  await device.close();
  return found;
}
