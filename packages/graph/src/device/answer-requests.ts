// Answers the main thread's requests in a device's worker. The worker owns all ONNX Runtime sessions and all states (tensors such
// as weights), and handles requests in order of arrival.
import type { LoadKernel } from './backend.js';
import type { Request, RequestMessage, ResponseMessage, WorkerSettings } from './protocol.js';
import { wallClock } from './worker-clock.js';

type Post = (response: ResponseMessage, transfer: ArrayBuffer[]) => void;

/** Returns the function that handles a request and posts the response when the request is done. */
export function answerRequests(
  settings: WorkerSettings,
  loadKernel: LoadKernel,
  post: Post,
): (message: RequestMessage) => Promise<void> {
  // Only one backend is loaded: that of GPUs needs the library for ONNX files, which a worker on the CPU does not.
  const backend: Promise<{ handle(request: Request): Promise<unknown> }> =
    settings.device === 'webgpu'
      ? import('./gpu-backend.js').then(({ GpuBackend }) => new GpuBackend(settings, loadKernel))
      : import('./host-backend.js').then(({ HostBackend }) => new HostBackend(settings, loadKernel));
  const answer = async ({ id, request }: RequestMessage): Promise<void> => {
    try {
      const start = wallClock();
      const result = await (await backend).handle(request);
      const time = settings.profileFolder === null ? {} : { time: [start, wallClock()] as const };
      post({ id, result, ...time }, transferables(request, result));
    } catch (error) {
      const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
      post({ id, error: { name, message, stack } }, []);
    }
  };
  let queue: Promise<void> = Promise.resolve();
  return (message) => (queue = queue.then(() => answer(message)));
}

/** Lists a response's arrays that are transferred instead of copied: results of runs and reads, which nothing else uses. */
function transferables({ kind }: Request, result: unknown): ArrayBuffer[] {
  if (kind !== 'run' && kind !== 'readState') return [];
  return Object.values(result as Record<string, { data: { buffer: ArrayBuffer } }>).map(({ data }) => data.buffer);
}
