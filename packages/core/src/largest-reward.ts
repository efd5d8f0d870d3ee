/** The largest reward that training supports: losses and optimizers square it in float32, whose largest number is 3e38. */
export const LARGEST_REWARD = 1e12;
