// The exports that the front door of @bowyer/graph has in a browser alone.
import '@bowyer/graph';

declare module '@bowyer/graph' {
  export function registerKernels(kernels: Readonly<Record<string, unknown>>): void;
}
