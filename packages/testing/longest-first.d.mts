/** The sum of the time limits that a test file gives its tests, in ms. */
export function statedLimits(text: string): number;
