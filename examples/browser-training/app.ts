// The window of an app, such as one of Electron: it remains responsive while its worker trains.
import type { Point } from './agent.js';
import { show, showAgent } from './curve.js';

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
worker.onmessage = ({ data }: MessageEvent<{ point: Point } | { said: string[] }>) =>
  'point' in data ? show(data.point) : showAgent(data.said);
