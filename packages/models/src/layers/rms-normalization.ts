// Computes root-mean-square normalization by ONNX Runtime's fused operator, with its backward rule.
import { defineOp, type GraphBuilder, type Value } from '@bowyer/graph';

/** Computes y = x / √(mean(x²) + ε) · scale over the last axis. Source: Zhang and Sennrich 2019, arXiv:1910.07467, eq. 4. */
const SimplifiedLayerNormalization = defineOp('SimplifiedLayerNormalization', {
  floatAttributes: ['epsilon'],
  infer: ({ inputs: [x, scale], fail }) => {
    if (scale.rank !== 1 || scale.dim(0) !== x.dim(-1)) fail('scale must be as long as the last axis of x');
    return [{ dtype: x.dtype, shape: x.shape }];
  },
  // With r = 1/√(mean(x²) + ε), x̂ = x · r and dx̂ = dy · scale: dx = r (dx̂ − x̂ mean(dx̂ x̂)). The operator's second output is r, which
  // is not used here, since its value is wrong on WebGPU.
  gradient: (g, { inputs: [x, scale], dy, attributes }) => {
    const meanSquare = g.reduceMean(g.mul(x, x), { axes: [-1], keepdims: true });
    const inverseRms = g.reciprocal(g.sqrt(g.add(meanSquare, attributes.epsilon as number)));
    const normalized = g.mul(x, inverseRms);
    const dNormalized = g.mul(dy, scale);
    const projection = g.reduceMean(g.mul(dNormalized, normalized), { axes: [-1], keepdims: true });
    const dx = g.mul(g.sub(dNormalized, g.mul(normalized, projection)), inverseRms);
    return [dx, g.sumTo(g.mul(dy, normalized), scale.shape)];
  },
});

/** Normalizes over the last axis of x. @param scale [size of the last axis] */
export function rmsNormalization(g: GraphBuilder, x: Value, scale: Value, epsilon: number): Value {
  return g.apply(SimplifiedLayerNormalization, [x, scale], { axis: -1, epsilon })[0];
}
