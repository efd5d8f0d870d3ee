// Trains in a Web Worker: posts a point after each iteration, and what the agent says in the end.
import { trainAgent } from './agent.js';

postMessage({ said: await trainAgent((point) => postMessage({ point })) });
