// Computes with symbolic dimensions: a dimension is an integer or an expression over named symbols ('batch', 'batch*tokens',
// 'past+tokens'). Expressions are stored as polynomials in one canonical spelling, so two dimensions are equal exactly if their
// spellings are.

/** A dimension: a number, or symbols joined by `*`, `+` and `-` whose values are known only when the graph runs. */
export type Dim = number | string;
export type Shape = readonly Dim[];

/** A polynomial: coefficients by monomial, which is its sorted symbols joined by `*`; '' is the constant term. */
type Polynomial = Map<string, number>;

const spellings = new Map<string, Polynomial>();

/** Splits `dim` into its terms, e.g. '2*batch*tokens-1' → {'batch*tokens': 2, '': −1}. */
export function dimTerms(dim: Dim): ReadonlyMap<string, number> {
  if (typeof dim === 'number') return new Map(dim === 0 ? [] : [['', dim]]);
  const known = spellings.get(dim);
  if (known) return known;
  const terms: Polynomial = new Map();
  for (const [term] of dim.replace(/\s/g, '').matchAll(/[+-]?[^+-]+/g)) {
    let coefficient = term.startsWith('-') ? -1 : 1;
    const symbols: string[] = [];
    for (const factor of term.replace(/^[+-]/, '').split('*')) {
      if (/^\d+$/.test(factor)) coefficient *= Number(factor);
      else if (/^[A-Za-z_][\w.]*$/.test(factor)) symbols.push(factor);
      else
        throw new RangeError(
          `dimension '${dim}': '${factor}' is neither an integer nor a symbol; write e.g. 'batch*tokens' or 'past+1'`,
        );
    }
    const key = symbols.sort().join('*');
    terms.set(key, (terms.get(key) ?? 0) + coefficient);
  }
  spellings.set(dim, terms);
  return terms;
}

function spell(terms: Polynomial): Dim {
  const kept = [...terms].filter(([, coefficient]) => coefficient !== 0).sort(([a], [b]) => compareMonomials(a, b));
  if (kept.length === 0) return 0;
  if (kept.length === 1 && kept[0]![0] === '') return kept[0]![1];
  return kept
    .map(([symbols, coefficient], i) => {
      const size = Math.abs(coefficient);
      const body = symbols === '' ? `${size}` : size === 1 ? symbols : `${size}*${symbols}`;
      return (coefficient < 0 ? '-' : i > 0 ? '+' : '') + body;
    })
    .join('');
}

/** Orders monomials alphabetically, the constant term last. */
function compareMonomials(a: string, b: string): number {
  if (a === '' || b === '') return a === b ? 0 : a === '' ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the canonical spelling of a dimension: 'tokens*batch' → 'batch*tokens', '4' → 4. */
export function canonicalDim(dim: Dim): Dim {
  if (typeof dim === 'string') return spell(new Map(dimTerms(dim)));
  if (!Number.isInteger(dim)) throw new RangeError(`dimension ${dim}: must be an integer or a symbol`);
  return dim;
}

export const canonicalShape = (shape: Shape): Dim[] => shape.map(canonicalDim);

export function addDims(a: Dim, b: Dim): Dim {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  const sum: Polynomial = new Map(dimTerms(a));
  for (const [symbols, coefficient] of dimTerms(b)) sum.set(symbols, (sum.get(symbols) ?? 0) + coefficient);
  return spell(sum);
}

export const subtractDims = (a: Dim, b: Dim): Dim => addDims(a, multiplyDims(b, -1));

export function multiplyDims(a: Dim, b: Dim): Dim {
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  const product: Polynomial = new Map();
  for (const [left, m] of dimTerms(a)) {
    for (const [right, n] of dimTerms(b)) {
      const key = [...left.split('*'), ...right.split('*')].filter(Boolean).sort().join('*');
      product.set(key, (product.get(key) ?? 0) + m * n);
    }
  }
  return spell(product);
}

/** Returns the number of elements of a tensor of this shape. */
export const sizeOfShape = (shape: Shape): Dim => shape.reduce(multiplyDims, 1);

/** Divides a by b if the division is exact ('batch*tokens' / 'batch' = 'tokens'); returns undefined otherwise. */
export function divideDims(a: Dim, b: Dim): Dim | undefined {
  const divisor = [...dimTerms(b)];
  if (divisor.length !== 1) return a === b ? 1 : undefined;
  const [symbols, n] = divisor[0]!;
  const quotient: Polynomial = new Map();
  for (const [term, m] of dimTerms(a)) {
    const left = term.split('*').filter(Boolean);
    for (const symbol of symbols.split('*').filter(Boolean)) {
      const at = left.indexOf(symbol);
      if (at < 0) return undefined;
      left.splice(at, 1);
    }
    if (m % n !== 0) return undefined;
    quotient.set(left.join('*'), m / n);
  }
  return spell(quotient);
}

/** Returns the size of a dimension given the sizes of its symbols; undefined while one of them is not known. */
export function evaluateDim(dim: Dim, symbols: (symbol: string) => number | undefined): number | undefined {
  let sum = 0;
  for (const [monomial, coefficient] of dimTerms(dim)) {
    let product = coefficient;
    for (const symbol of monomial.split('*').filter(Boolean)) {
      const size = symbols(symbol);
      if (size === undefined) return undefined;
      product *= size;
    }
    sum += product;
  }
  return sum;
}

export const sameShape = (a: Shape, b: Shape): boolean => a.length === b.length && a.every((dim, i) => dim === b[i]);

export const formatShape = (shape: Shape): string => `[${shape.join(', ')}]`;

/** Returns the shape of an elementwise result, or undefined if the shapes do not broadcast. */
export function broadcastShapes(a: Shape, b: Shape): Dim[] | undefined {
  const rank = Math.max(a.length, b.length);
  const result: Dim[] = [];
  for (let i = 0; i < rank; i++) {
    const m = a[a.length - rank + i] ?? 1;
    const n = b[b.length - rank + i] ?? 1;
    if (m !== n && m !== 1 && n !== 1) return undefined;
    result.push(m === 1 ? n : m);
  }
  return result;
}
