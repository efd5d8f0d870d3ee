// Trains the start model with the defaults: runs/train.
import { trainAgent } from '@bowyer/agents';
import { loanDesk, reward } from './agent.mjs';
import { tasks } from './tasks.mjs';

const options = { model: 'models/start', tasks, run: loanDesk, reward, savePath: 'runs/train', log: console.log };
const { verdict, gain, reasons, model } = await trainAgent(options);
console.log(verdict, gain, reasons, model);
