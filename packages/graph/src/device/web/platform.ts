// Exports the parts of a device that depend on the platform, a page or a Web Worker; for Node, see `../node/platform.ts`.
import { answerRequests } from '../answer-requests.js';
import type { Precision } from '../../dtype.js';
import { DeviceError } from '../../errors.js';
import type { StoredTensor } from '../../stored-tensor.js';
import { checkSettings } from '../check-settings.js';
import type { DeviceKind, GpuBuffers, RequestMessage, ResponseMessage } from '../protocol.js';
import type { StartWorker } from '../worker-thread.js';
import { registeredKernels } from './kernels.js';
import { chooseRuntime } from './runtime.js';

declare const navigator: { hardwareConcurrency: number; gpu?: { requestAdapter(): Promise<GpuAdapter | null> } };
interface GpuAdapter {
  readonly features: ReadonlySet<string>;
}
declare const crossOriginIsolated: boolean;

/** Returns the number of threads that WebAssembly may use: one if the page is not cross-origin isolated. */
export const availableParallelism = (): number => (crossOriginIsolated ? navigator.hardwareConcurrency : 1);

/** Does nothing, since ONNX Runtime is bundled with the page and cannot be missing. */
export function checkRuntime(): void {}

const adapter = async (): Promise<GpuAdapter | null> => (await navigator.gpu?.requestAdapter()) ?? null;

/** Chooses WebGPU if the browser has an adapter, else WebAssembly on the CPU. */
export async function chooseDevice(): Promise<{ device: DeviceKind; reason: string }> {
  if (await adapter()) return { device: 'webgpu', reason: 'the browser has a WebGPU adapter' };
  return { device: 'cpu', reason: 'the browser has no WebGPU adapter' };
}

/** Checks that a device can be used with these settings. @throws DeviceError whose message says how to fix it */
export async function checkDevice(
  device: DeviceKind,
  precision: Precision = 'float32',
  gpuBuffers: GpuBuffers = 'bucket',
): Promise<void> {
  if (device === 'cuda') throw new DeviceError('a browser has no CUDA; use device.kind=webgpu or device.kind=cpu');
  checkSettings(device, precision, gpuBuffers);
  if (device === 'cpu') return;
  const found = await adapter();
  if (found === null)
    throw new DeviceError(`this browser has no WebGPU adapter; device.kind=cpu runs on WebAssembly everywhere`);
  if (precision === 'float16' && !found.features.has('shader-f16'))
    throw new DeviceError(`this GPU has no 16-bit floats in shaders (shader-f16); use device.precision=float32`);
}

/** Returns an identifier of a kernel's module. It is not imported: the kernel itself is found by its name. */
export const kernelModule = (module: URL): string => module.href;

/** Sends weights in messages, since a page has no files that ONNX Runtime could map. */
export class ModelFiles {
  static isWorthIt(): boolean {
    return false;
  }

  write(): string {
    throw new DeviceError('a page has no files for weights');
  }

  store(): StoredTensor {
    throw new DeviceError('a page has no files for weights');
  }

  release(): void {}
}

/**
 * Starts the device in the calling thread, which should be a Web Worker if the page must stay responsive; ONNX Runtime's matrix
 * products run on further threads. Messages are copied and transferred as between threads.
 */
export const startWorker: StartWorker = (settings, { answered, failed }) => {
  const { port1, port2 } = new MessageChannel();
  const ready = chooseRuntime(settings.device).then(({ env }) => {
    env.wasm.numThreads = settings.threads;
    return answerRequests(
      settings,
      async () => registeredKernels(),
      (response, transfer) => port2.postMessage(response, transfer),
    );
  });
  listen(port1 as typeof port1 & Port, (response: ResponseMessage) => answered(response));
  listen(port2 as typeof port2 & Port, (message: RequestMessage) => {
    ready.then((answer) => answer(message)).catch((error: unknown) => failed(`it failed: ${String(error)}`));
  });
  return {
    postMessage: (message, transfer) => port1.postMessage(message, transfer),
    ref() {},
    unref() {},
    terminate: () => port1.close(),
  };
};

interface Port {
  addEventListener(type: 'message', take: (event: { data: unknown }) => void): void;
  start(): void;
}

function listen<Message>(port: Port, take: (message: Message) => void): void {
  port.addEventListener('message', ({ data }) => take(data as Message));
  port.start();
}
