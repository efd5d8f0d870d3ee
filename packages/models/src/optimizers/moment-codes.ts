// Optimizer moments in 8 bits whose values are calculated, not looked up: WebAssembly and GPUs do the same few operations on
// every code. In blocks of 256 values, each with its own two scales:
//
//     m  = scale · c |c| / 127²        c = −127 … 127     scale = max |m|
//     √v = scale · c² / 255²           c = 1 … 255        scale = max √v
//
// The squares give small values the smaller steps: of |m| down to 6 · 10⁻⁵ and of √v down to 1.5 · 10⁻⁵ of the block's largest.
// No code of √v is 0 (where the scale is not), so that no m is ever divided by an ε alone. Block-wise scales: Dettmers et al.
// 2021 (arXiv:2110.02861), whose dynamic map is a table; docs/decisions/optimizers.md compares the two.

/** Values that share their scales. */
export const blockLength = 256;

/** 32-bit words for the codes of a block, four bytes each, the first one lowest. */
export const wordsPerBlock = blockLength / 4;

/** The largest codes. */
export const [maxFirstMomentCode, maxSecondMomentCode] = [127, 255];

/**
 * A block whose largest √v is below this forgets both moments, and one whose largest |m| is below the other its first ones. They
 * are far below any ε, and the squares and shares of smaller ones would be subnormal numbers, for which CPUs take 100
 * times as long (embedding rows of words that are not seen for long get there).
 */
export const [leastRoot, leastMoment] = [2 ** -46, 2 ** -100];
