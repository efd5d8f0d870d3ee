// Runs the same training in Node.
//   node --conditions=source --import tsx examples/browser-training/node.ts
import { trainAgent } from './agent.js';

console.log(
  await trainAgent(({ iteration, reward }) => console.log(`iteration ${iteration}: return ${reward.toFixed(2)}`)),
);
