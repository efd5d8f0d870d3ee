// Is the entry point of a device's worker thread: passes the main thread's requests to `answerRequests`.
import { parentPort, workerData } from 'node:worker_threads';
import { answerRequests } from '../answer-requests.js';
import type { RequestMessage, WorkerSettings } from '../protocol.js';

const port = parentPort!;
const importKernel = (module: string): Promise<Record<string, unknown>> => import(module);
const answer = answerRequests(workerData as WorkerSettings, importKernel, (response, transfer) =>
  port.postMessage(response, transfer),
);
port.on('message', async (message: RequestMessage) => {
  await answer(message);
  if (message.request.kind === 'close') port.close();
});
