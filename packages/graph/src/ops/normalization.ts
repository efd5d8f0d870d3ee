// Defines softmax along any axis, and layer normalization along the last axis.
import { sameShape } from '../dims.js';
import { defineOp, inferSame } from '../op.js';

export const Softmax = defineOp('Softmax', {
  infer: inferSame,
  // dx = y (dy − Σ y dy)
  gradient: (g, { y, dy, attributes }) => {
    const weighted = g.mul(y, dy);
    const sum = g.reduceSum(weighted, { axes: [attributes.axis as number], keepdims: true });
    return [g.sub(weighted, g.mul(y, sum))];
  },
});

export const LogSoftmax = defineOp('LogSoftmax', {
  float16: 'float32',
  infer: inferSame,
  // dx = dy − softmax(x) Σ dy, and softmax(x) = exp(y)
  gradient: (g, { y, dy, attributes }) => {
    const sum = g.reduceSum(dy, { axes: [attributes.axis as number], keepdims: true });
    return [g.sub(dy, g.mul(g.exp(y), sum))];
  },
});

/**
 * Computes y = (x − mean) / √(variance + ε) · scale + bias over the last axis. Outputs y, mean, 1/√(variance + ε).
 * Source: Ba et al. 2016, arXiv:1607.06450.
 */
export const LayerNormalization = defineOp('LayerNormalization', {
  floatAttributes: ['epsilon'],
  infer: ({ inputs: [x, scale, bias], fail }) => {
    const features = [x!.dim(-1)];
    if (!sameShape(scale!.shape, features) || (bias && !sameShape(bias.shape, features)))
      fail('scale and bias must be as long as the last axis of x');
    const statistics = [...x!.shape.slice(0, -1), 1];
    return [
      { dtype: x!.dtype, shape: x!.shape },
      { dtype: 'float32', shape: statistics },
      { dtype: 'float32', shape: statistics },
    ];
  },
  // x̂ = (x − mean) · r,  dx̂ = dy · scale,  dx = r (dx̂ − mean(dx̂) − x̂ mean(dx̂ x̂))
  gradient: (g, { inputs: [x, scale, bias], outputs: [, mean, inverseDeviation], dy }) => {
    const last = { axes: [-1], keepdims: true };
    const normalized = g.mul(g.sub(x!, mean!), inverseDeviation!);
    const dNormalized = g.mul(dy, scale!);
    const projection = g.mul(normalized, g.reduceMean(g.mul(dNormalized, normalized), last));
    const dx = g.mul(g.sub(g.sub(dNormalized, g.reduceMean(dNormalized, last)), projection), inverseDeviation!);
    return [dx, g.sumTo(g.mul(dy, normalized), scale!.shape), bias ? g.sumTo(dy, bias.shape) : null];
  },
});
