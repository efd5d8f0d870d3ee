// The questions on prices that the shop's assistant of ../openai answers. Few rollouts are played, as each of them
// starts Python.
import { example as shop } from '../openai/example.js';

export const example = { ...shop, training: { iterations: 6, lmLr: 3e-4, groups: 4 } };
