// Defines the elementwise ONNX operators of one operand and their gradient rules, simplest first.
// In every rule y = op(x), dy is the gradient by y, and one gradient is returned per input.
import { isFloat, onnxTypeCodes, type DataType } from '../dtype.js';
import { defineOp } from '../op.js';

const castTypes = Object.fromEntries(Object.entries(onnxTypeCodes).map(([dtype, code]) => [code, dtype as DataType]));

export const Identity = defineOp('Identity', {
  gradient: (_g, { dy }) => [dy],
});

export const Neg = defineOp('Neg', {
  // d(−x) = −dx
  gradient: (g, { dy }) => [g.neg(dy)],
});

export const Exp = defineOp('Exp', {
  float16: 'float32',
  // d(eˣ) = eˣ dx, and eˣ is y
  gradient: (g, { y, dy }) => [g.mul(y, dy)],
});

export const Log = defineOp('Log', {
  float16: 'float32',
  // d(ln x) = dx / x
  gradient: (g, { inputs: [x], dy }) => [g.div(dy, x!)],
});

export const Sqrt = defineOp('Sqrt', {
  float16: 'float32',
  // d(√x) = dx / (2√x)
  gradient: (g, { y, dy }) => [g.div(g.mul(dy, 0.5), y)],
});

export const Reciprocal = defineOp('Reciprocal', {
  float16: 'float32',
  // d(1/x) = −dx / x²
  gradient: (g, { y, dy }) => [g.neg(g.mul(dy, g.mul(y, y)))],
});

export const Abs = defineOp('Abs', {
  // d|x| = sign(x) dx
  gradient: (g, { inputs: [x], dy }) => [g.mul(dy, g.sign(x!))],
});

export const Sin = defineOp('Sin', {
  float16: 'float32',
  // d(sin x) = cos x dx
  gradient: (g, { inputs: [x], dy }) => [g.mul(dy, g.cos(x!))],
});

export const Cos = defineOp('Cos', {
  float16: 'float32',
  // d(cos x) = −sin x dx
  gradient: (g, { inputs: [x], dy }) => [g.neg(g.mul(dy, g.sin(x!)))],
});

export const Tanh = defineOp('Tanh', {
  // d(tanh x) = (1 − tanh² x) dx
  gradient: (g, { y, dy }) => [g.mul(dy, g.sub(1, g.mul(y, y)))],
});

export const Sigmoid = defineOp('Sigmoid', {
  // dσ = σ (1 − σ) dx
  gradient: (g, { y, dy }) => [g.mul(dy, g.mul(y, g.sub(1, y)))],
});

export const Erf = defineOp('Erf', {
  float16: 'float32',
  // d(erf x) = 2/√π · exp(−x²) dx
  gradient: (g, { inputs: [x], dy }) => [g.mul(dy, g.mul(g.exp(g.neg(g.mul(x!, x!))), 2 / Math.sqrt(Math.PI)))],
});

export const Relu = defineOp('Relu', {
  // dx where x > 0, otherwise 0
  gradient: (g, { inputs: [x], dy }) => [g.where(g.greater(x!, 0), dy, 0)],
});

export const Softplus = defineOp('Softplus', {
  float16: 'float32',
  // d ln(1 + eˣ) = σ(x) dx
  gradient: (g, { inputs: [x], dy }) => [g.mul(dy, g.sigmoid(x!))],
});

export const Sign = defineOp('Sign', {
  // The sign is constant everywhere except at 0.
  gradient: () => [null],
});

export const Floor = defineOp('Floor', {
  // The result is constant between integers.
  gradient: () => [null],
});

/** Applies GELU; `approximate` 'none' is exact, 'tanh' is GPT-2's approximation. Hendrycks & Gimpel 2016, arXiv:1606.08415. */
export const Gelu = defineOp('Gelu', {
  gradient: (g, { inputs: [x], dy, attributes }) => {
    if (attributes.approximate === 'tanh') {
      // y = x σ(2u), u = √(2/π)(x + 0.044715 x³);  dy/dx = s + x s (1 − s) · 2u′ = s · (1 + x · 2u′ · (1 − s))
      const c = 2 * Math.sqrt(2 / Math.PI);
      const cubic = c * 0.044715;
      const squared = g.mul(x!, x!);
      const s = g.sigmoid(g.mul(x!, g.add(g.mul(squared, cubic), c)));
      const slope = g.mul(x!, g.add(g.mul(squared, 3 * cubic), c));
      return [g.mul(dy, g.mul(s, g.add(g.mul(slope, g.sub(1, s)), 1)))];
    }
    // y = x Φ(x);  dy/dx = Φ(x) + x φ(x)
    const cdf = g.mul(g.add(g.erf(g.mul(x!, Math.SQRT1_2)), 1), 0.5);
    const density = g.mul(g.exp(g.mul(g.mul(x!, x!), -0.5)), 1 / Math.sqrt(2 * Math.PI));
    return [g.mul(dy, g.add(cdf, g.mul(x!, density)))];
  },
});

export const Cast = defineOp('Cast', {
  webgpu: 'cast',
  float16: 'cast',
  infer: ({ inputs: [x], attributes }) => [{ dtype: castTypes[attributes.to as number]!, shape: x!.shape }],
  // A cast between float types casts the gradient back; a cast from or to integers or booleans has no gradient.
  gradient: (g, { inputs: [x], dy }) => [isFloat(x!.dtype) && isFloat(dy.dtype) ? g.cast(dy, x!.dtype) : null],
});

/** Returns its operand; no gradient flows back through it (`detach` in PyTorch). */
export const StopGradient = defineOp('Identity', {
  gradient: () => [null],
});
