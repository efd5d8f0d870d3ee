// The questions on prices that the shop's assistant of ../openai answers. Of an agent that is a program, few rollouts are played: each
// starts Python.
import { example as shop } from '../openai/example.js';

export const example = { ...shop, training: { iterations: 15, lmLr: 3e-4, groups: 4 } };
