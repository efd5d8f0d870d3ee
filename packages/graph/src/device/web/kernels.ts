// Registers the kernels (functions that update states in a device's worker) that a page may use. In Node a kernel's module is
// imported by its URL; a bundler must know the modules, so each package registers its kernels instead.
const kernels = new Map<string, unknown>();

/** Registers kernels under the names of their exports, for all devices of this thread. */
export function registerKernels(exported: Readonly<Record<string, unknown>>): void {
  for (const [name, kernel] of Object.entries(exported)) kernels.set(name, kernel);
}

/** Returns all registered kernels; in a page a kernel is identified by its name alone. */
export const registeredKernels = (): Record<string, unknown> => Object.fromEntries(kernels);
