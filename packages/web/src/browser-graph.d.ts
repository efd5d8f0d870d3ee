// Declares the exports of @bowyer/graph that only exist in a browser.
import '@bowyer/graph';

declare module '@bowyer/graph' {
  export function registerKernels(kernels: Readonly<Record<string, unknown>>): void;
}
