import type { Results } from './work.js';
export function writeScreen(_results: Results): void {}
