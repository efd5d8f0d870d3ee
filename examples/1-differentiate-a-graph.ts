// Fits y = 2x + 1 by gradient descent. The gradient is derived as a part of the graph, and ONNX Runtime computes it.
//   node --conditions=source --import tsx examples/1-differentiate-a-graph.ts
import { GraphBuilder, gradients, openDevice } from '@bowyer/graph';

const g = new GraphBuilder('line');
const x = g.input('x', 'float32', ['points']);
const y = g.input('y', 'float32', ['points']);
const slope = g.input('slope', 'float32', []);
const offset = g.input('offset', 'float32', []);
const loss = g.reduceMean(g.square(g.sub(g.add(g.mul(x, slope), offset), y)));
const [slopeGradient, offsetGradient] = gradients(g, loss, [slope, offset]);
g.output('loss', loss);
g.output('slope_gradient', slopeGradient);
g.output('offset_gradient', offsetGradient);

const points = Float32Array.of(-1, 0, 1, 2);
const device = await openDevice({ device: 'cpu' });
try {
  const program = await device.compile(g);
  const line = { slope: 0, offset: 0 };
  for (let step = 0; step < 200; step++) {
    const out = await program.run({
      inputs: {
        x: { dims: [4], data: points },
        y: { dims: [4], data: points.map((value) => 2 * value + 1) },
        slope: { dims: [], data: Float32Array.of(line.slope) },
        offset: { dims: [], data: Float32Array.of(line.offset) },
      },
    });
    line.slope -= 0.1 * Number(out.slope_gradient.data[0]);
    line.offset -= 0.1 * Number(out.offset_gradient.data[0]);
    if (step % 50 === 0) console.log(`step ${step}: loss ${Number(out.loss.data[0]).toFixed(6)}`);
  }
  console.log(`y = ${line.slope.toFixed(3)} x + ${line.offset.toFixed(3)}`);
} finally {
  await device.close();
}
