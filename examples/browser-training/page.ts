// Trains in the page itself: the smallest program, whose page is busy meanwhile.
import { trainAgent } from './agent.js';
import { show, showAgent } from './curve.js';

showAgent(await trainAgent(show));
