// The worker thread: owns every session and all state, and handles requests strictly in the order in which they arrive.
import { parentPort, workerData } from 'node:worker_threads';
import type { Request, RequestMessage, ResponseMessage, WorkerSettings } from './protocol.js';
import { wallClock } from './worker-clock.js';

const port = parentPort!;
const settings = workerData as WorkerSettings;
// Only one of the two is loaded: the GPU's reads ONNX files, whose library a worker on the host does not need.
const backend: Promise<{ handle(request: Request): Promise<unknown> }> =
  settings.device === 'webgpu'
    ? import('./gpu-backend.js').then(({ GpuBackend }) => new GpuBackend(settings))
    : import('./host-backend.js').then(({ HostBackend }) => new HostBackend(settings));

let queue: Promise<void> = Promise.resolve();
port.on('message', (message: RequestMessage) => {
  queue = queue.then(() => answer(message));
});

async function answer({ id, request }: RequestMessage): Promise<void> {
  try {
    const start = wallClock();
    const result = await (await backend).handle(request);
    const time = settings.profileFolder === null ? {} : { time: [start, wallClock()] as const };
    const response: ResponseMessage = { id, result, ...time };
    port.postMessage(response, transferables(request, result));
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    port.postMessage({ id, error: { name, message, stack } } satisfies ResponseMessage);
  }
  if (request.kind === 'close') port.close();
}

/** Lists the arrays to transfer instead of copying: results of runs and reads are new ones. */
function transferables({ kind }: Request, result: unknown): ArrayBuffer[] {
  if (kind !== 'run' && kind !== 'readState') return [];
  return Object.values(result as Record<string, { data: { buffer: ArrayBuffer } }>).map(({ data }) => data.buffer);
}
