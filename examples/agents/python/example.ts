// The questions on prices that the shop's assistant of ../openai answers. An agent that is a program plays few rollouts, since each
// starts Python.
import { example as shop } from '../openai/example.js';

export const example = { ...shop, training: { iterations: 15, lmLr: 3e-4, groups: 4 } };
