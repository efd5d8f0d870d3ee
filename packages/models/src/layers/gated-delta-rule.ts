// Computes the gated delta rule: linear attention whose state decays by a gate, and whose value for a key is overwritten.
//
//     Sₜ = αₜ Sₜ₋₁ + βₜ kₜ (vₜ − αₜ Sₜ₋₁ᵀ kₜ)ᵀ,   oₜ = Sₜᵀ qₜ,   S [keySize, valueSize]
//
// Source: Yang et al. 2024, arXiv:2412.06464, eq. 10; in chunks as in section 3.3 there and Yang et al. 2024, arXiv:2406.06484.
import { multiplyDims, type Dim, type GraphBuilder, type Value } from '@bowyer/graph';

/** The inputs of the rule; their first axis is batch · heads. */
export interface DeltaInputs {
  /** [batch · heads, tokens, keySize], already scaled; keys likewise */
  query: Value;
  key: Value;
  /** [batch · heads, tokens, valueSize] */
  value: Value;
  /** [batch · heads, tokens] ln α ≤ 0; where it and `beta` are 0, the state does not change */
  logDecay: Value;
  beta: Value;
  /** [batch · heads, keySize, valueSize] S before the first token; zeros if not given */
  state?: Value;
}

/** The outputs o [batch · heads, tokens, valueSize], and the state S after the last token. */
interface DeltaOutputs {
  output: Value;
  state: Value;
}

/** Applies the rule to a single token; the axis of tokens has size 1. */
export function deltaStep(g: GraphBuilder, inputs: DeltaInputs & { state: Value }): DeltaOutputs {
  const { query, key, value, logDecay, beta } = inputs;
  const kept = g.mul(inputs.state, g.unsqueeze(g.exp(logDecay), 2));
  const written = g.mul(g.sub(value, g.matMul(key, kept)), g.unsqueeze(beta, 2));
  const state = g.add(kept, g.fusedMatMul(key, written, { transA: true }));
  return { output: g.matMul(query, state), state };
}

/**
 * Applies the rule to any number of tokens, in chunks of `size`.
 * Within a chunk, with Γᵣ = Σᵢ≤ᵣ ln αᵢ, the values that are added to the state are
 *
 *     U = T β (V − e^Γ K S₀),   T = (I + A)⁻¹,   Aᵣᵢ = βᵣ e^(Γᵣ−Γᵢ) kᵣ·kᵢ for i < r
 *     O = e^Γ Q S₀ + (e^(Γᵣ−Γᵢ) qᵣ·kᵢ for i ≤ r) U,   S₁ = e^Γₙ S₀ + (e^(Γₙ−Γᵢ) kᵢ)ᵀ U
 *
 * so that only S needs a recurrence over chunks, a linear one; everything else is computed for all chunks at once.
 *
 * @param size the tokens of a chunk, a power of 2
 */
export function deltaChunks(g: GraphBuilder, inputs: DeltaInputs, size: number): DeltaOutputs {
  const tokens = inputs.key.dim(1);
  const chunks = chunkCount(g, tokens, size);
  // The shapes are [chunks, batch · heads, size, …]; padding has gate 1, beta 0, and zeros as key, query and value.
  const [q, k, v, logDecay, b] = [inputs.query, inputs.key, inputs.value, inputs.logDecay, inputs.beta].map((x) =>
    intoChunks(g, x, chunks, size),
  );
  const keySize = k.dim(3) as number;
  const valueSize = v.dim(3) as number;
  const total = g.cumSum(logDecay, 2);
  const difference = g.sub(g.unsqueeze(total, 3), g.unsqueeze(total, 2));
  const decays = (mask: Value) => g.exp(g.where(mask, difference, -1e9));
  const { before, upToOwn } = triangles(g, size);

  const beta = g.unsqueeze(b, 3);
  const decay = g.unsqueeze(g.exp(total), 3);
  const overlap = g.mul(g.mul(g.fusedMatMul(k, k, { transB: true }), decays(before)), beta);
  const solved = g.matMul(inverseOfUnitLower(g, overlap, size), g.mul(g.concat([v, g.mul(k, decay)], 3), beta));
  const [written, reads] = g.split(solved, 3, [valueSize, keySize]);
  const last = g.slice(total, 2, size - 1);
  const toEnd = g.transpose(g.mul(k, g.unsqueeze(g.exp(g.sub(last, total)), 3)), [0, 1, 3, 2]);
  const start = inputs.state ?? g.zeros([k.dim(1), keySize, valueSize]);
  const { end, states } = g.linearRecurrence({
    start,
    decay: g.unsqueeze(g.exp(last), 3),
    left: toEnd,
    right: reads,
    addend: g.matMul(toEnd, written),
  });
  const updates = g.sub(written, g.matMul(reads, states));
  const within = g.mul(g.fusedMatMul(q, k, { transB: true }), decays(upToOwn));
  const output = g.add(g.matMul(g.mul(q, decay), states), g.matMul(within, updates));
  return { output: outOfChunks(g, output, tokens, chunks, size), state: end };
}

/** Returns the symbolic size ⌈tokens / size⌉. */
function chunkCount(g: GraphBuilder, tokens: Dim, size: number): Dim {
  if (typeof tokens === 'number') return Math.ceil(tokens / size);
  const count = g.div(g.add(g.dimScalar(tokens), size - 1), size);
  return g.rangeBetween(g.scalar(0, 'int64'), count, `chunks.${tokens}.${size}`).dim(0);
}

/** Cuts into chunks: [batch, tokens, …] → [chunks, batch, size, …], with zeros after the last token. */
function intoChunks(g: GraphBuilder, x: Value, chunks: Dim, size: number): Value {
  const padded = g.slice(g.pad(x, 1, 0, size - 1), 1, 0, multiplyDims(chunks, size));
  const [batch, , ...rest] = x.shape;
  const apart = g.reshape(padded, [batch, chunks, size, ...rest]);
  return g.transpose(apart, [1, 0, ...Array.from({ length: rest.length + 1 }, (_, i) => i + 2)]);
}

/** Joins chunks again: [chunks, batch, size, width] → [batch, tokens, width]. */
function outOfChunks(g: GraphBuilder, x: Value, tokens: Dim, chunks: Dim, size: number): Value {
  const joined = g.reshape(g.transpose(x, [1, 0, 2, 3]), [x.dim(1), multiplyDims(chunks, size), x.dim(3)]);
  return g.slice(joined, 1, 0, tokens);
}

/** Makes two masks [size, size] of rows r and columns i: i < r and i ≤ r. */
function triangles(g: GraphBuilder, size: number) {
  const mask = (holds: (row: number, column: number) => boolean) =>
    g.constant(
      Uint8Array.from({ length: size * size }, (_, i) => Number(holds(Math.floor(i / size), i % size))),
      [size, size],
      'bool',
    );
  return { before: mask((row, column) => column < row), upToOwn: mask((row, column) => column <= row) };
}

/**
 * Inverts I + A for strictly lower triangular A [..., size, size]. Diagonal blocks of 1, 2, 4, … rows are inverted in turn; two blocks
 * are joined by [[P, 0], [C, Q]]⁻¹ = [[P⁻¹, 0], [−Q⁻¹ C P⁻¹, Q⁻¹]], which is as exact as forward substitution. For the gradient, the
 * result is X + X (I − (I + A) X) with X the inverse as a constant: its value is X, and its derivative is −X dA X, that of the
 * inverse.
 */
function inverseOfUnitLower(g: GraphBuilder, a: Value, size: number): Value {
  const fixed = g.stopGradient(a);
  const identity = squareMask(g, size, (row, column) => row === column);
  let inverse = identity;
  for (let block = 1; block < size; block *= 2) {
    const corner = squareMask(g, size, (row, column) => {
      const [r, c] = [Math.floor(row / block), Math.floor(column / block)];
      return r % 2 === 1 && c === r - 1;
    });
    const corners = g.mul(fixed, corner);
    // At first the blocks are 1 × 1, and their inverse is I.
    const change = block === 1 ? corners : g.matMul(g.matMul(inverse, corners), inverse);
    inverse = g.sub(inverse, change);
  }
  const found = g.stopGradient(inverse);
  const rest = g.sub(identity, g.add(found, g.matMul(a, found)));
  return g.add(found, g.matMul(found, rest));
}

function squareMask(g: GraphBuilder, size: number, holds: (row: number, column: number) => boolean): Value {
  const data = Float32Array.from({ length: size * size }, (_, i) => Number(holds(Math.floor(i / size), i % size)));
  return g.constant(data, [size, size]);
}
