// The smallest program: it trains in the page itself, which does not respond during the training.
import { trainAgent } from './agent.js';
import { show, showAgent } from './curve.js';

showAgent(await trainAgent(show));
