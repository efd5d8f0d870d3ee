// Defines optimizer moments in 8 bits that a formula decodes instead of a table, so that WebAssembly and GPUs need only a few operations
// for each code. Every block of 256 values has two scales:
//
//     m  = scale · c |c| / 127²        c = −127 … 127     scale = max |m|
//     √v = scale · c² / 255²           c = 1 … 255        scale = max √v
//
// Because of the squares, steps are finer for small values: |m| down to 6 · 10⁻⁵ and √v down to 1.5 · 10⁻⁵ of the block's largest
// value. The code of √v is never 0 (unless the scale is), so that m is never divided by ε alone. Block-wise scales: Dettmers et al.
// 2021 (arXiv:2110.02861), whose codes use a table; docs/decisions/optimizers.md compares the two.

export const blockLength = 256;

/** The number of 32-bit words for a block's codes: four codes per word, the first in the lowest byte. */
export const wordsPerBlock = blockLength / 4;

export const [maxFirstMomentCode, maxSecondMomentCode] = [127, 255];

/**
 * The bounds below which moments are dropped: both moments of a block become 0 if its largest √v is below the first number, and its
 * first moments if its largest |m| is below the second. Such values are far below any ε, and computing with them would produce
 * subnormal numbers, for which CPUs take 100 times as long. They occur in embedding rows of tokens that are not read for long.
 */
export const [leastRoot, leastMoment] = [2 ** -46, 2 ** -100];
