// Trains in a Web Worker: it posts a point after each iteration, and the agent's guesses at the end.
import { trainAgent } from './agent.js';

postMessage({ said: await trainAgent((point) => postMessage({ point })) });
