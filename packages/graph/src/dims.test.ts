import { addDims, broadcastShapes, canonicalDim, divideDims, evaluateDim, multiplyDims, subtractDims } from './dims.js';

test('one dimension has one spelling', () => {
  expect(canonicalDim('tokens*batch')).toBe('batch*tokens');
  expect(canonicalDim('past + 2*tokens + tokens - 1')).toBe('past+3*tokens-1');
  expect(canonicalDim('n-n')).toBe(0);
  expect(canonicalDim('4*3')).toBe(12);
});

test('sums, products and exact quotients', () => {
  expect(addDims('past', 'tokens')).toBe('past+tokens');
  expect(subtractDims('past+tokens', 'past')).toBe('tokens');
  expect(multiplyDims('a+1', 'a-1')).toBe('a*a-1');
  expect(divideDims('6*batch*tokens', '2*batch')).toBe('3*tokens');
  expect(divideDims('batch*tokens+batch', 'batch')).toBe('tokens+1');
  expect(divideDims('tokens', 2)).toBeUndefined();
});

test('shapes broadcast from the right, and differing symbols do not', () => {
  expect(broadcastShapes(['batch', 1, 3], ['tokens', 1])).toEqual(['batch', 'tokens', 3]);
  expect(broadcastShapes(['batch'], ['tokens'])).toBeUndefined();
});

test('a dimension is evaluated once all its symbols have sizes', () => {
  const sizes: Record<string, number> = { a: 3, b: 5 };
  expect(evaluateDim('2*a*b-a+1', (symbol) => sizes[symbol])).toBe(28); // 30 − 3 + 1
  expect(evaluateDim('a+c', (symbol) => sizes[symbol])).toBeUndefined();
});

test('the error of a malformed dimension names the fault', () => {
  expect(() => canonicalDim('batch/2')).toThrow(
    "dimension 'batch/2': 'batch/2' is neither an integer nor a symbol; write e.g. 'batch*tokens' or 'past+1'",
  );
});
