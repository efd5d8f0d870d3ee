// Tasks: the questions about prices of ../openai, whose agent is here a program in Python. Only a few rollouts are played, since
// each of them starts Python.
import { example as shop } from '../openai/example.js';

export const example = { ...shop, training: { iterations: 6, lmLr: 3e-4, groups: 4 } };
