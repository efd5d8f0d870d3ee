import { gradients, GraphBuilder, openDevice } from '@bowyer/graph';
import { activatePrecisely } from './activations.js';

test('the precise SiLU and its slope have no larger relative error for negative numbers, and none overflows', async () => {
  const numbers = [-200, -80, -20, -8, -5, -1, -0.01, 0, 1, 5, 80, 200];
  const g = new GraphBuilder('silu');
  const x = g.input('x', 'float32', [numbers.length]);
  const y = activatePrecisely(g, 'silu', x);
  g.output('y', y);
  g.output('slope', gradients(g, g.reduceSum(y, { axes: [0], keepdims: false }), [x])[0]);
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const program = await device.compile(g);
  const found = await program.run({ inputs: { x: { dims: [numbers.length], data: Float32Array.from(numbers) } } });
  await device.close();
  numbers.forEach((rounded, i) => {
    const value = Math.fround(rounded);
    const sigmoid = 1 / (1 + Math.exp(-value));
    const slope = sigmoid * (1 + value * (1 - sigmoid));
    for (const [name, expected] of [['y', value * sigmoid] as const, ['slope', slope] as const])
      // Numbers below 1e-36 may become 0.
      expect(Math.abs((found[name].data[i] as number) - expected)).toBeLessThan(1e-6 * Math.abs(expected) + 1e-36);
  });
});
