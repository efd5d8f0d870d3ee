/** The largest reward that training can use: losses and optimizers calculate in float32 with its square, and no number is above 3e38. */
export const LARGEST_REWARD = 1e12;
