// Starts the worker thread that runs a device's sessions.
import './disable-telemetry.js';
import { Worker } from 'node:worker_threads';
import type { WorkerSettings } from '../protocol.js';
import type { StartWorker } from '../worker-thread.js';
import { bundleOf, isSource } from './source-modules.js';

export const startWorker: StartWorker = (settings, { answered, failed }) => {
  const worker = startThread(settings);
  worker.on('message', answered);
  worker.on('error', (error) => failed(`its worker failed: ${error.stack ?? error.message}`));
  worker.on('exit', (code) => failed(`its worker ended with exit code ${code}`));
  return worker;
};

function startThread(workerData: WorkerSettings): Worker {
  const own = import.meta.url;
  if (!isSource(own)) return new Worker(new URL('./worker.js', own), { workerData });
  const bundle = bundleOf(new URL('./worker.ts', own).href, 'cjs');
  const require = `require('node:module').createRequire(${JSON.stringify(own)})`;
  return new Worker(`((require) => {${bundle}\n})(${require})`, { eval: true, workerData });
}
