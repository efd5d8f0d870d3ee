export { Rng, hash32, type RngState } from './rng.js';
