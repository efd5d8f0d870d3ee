// Registers the kernels of a page. A bundler must know their modules, so each package registers its kernels instead of passing the URL
// of a file.
const kernels = new Map<string, unknown>();

/** Registers kernels under the names of their exports, for devices of this thread. */
export function registerKernels(exported: Readonly<Record<string, unknown>>): void {
  for (const [name, kernel] of Object.entries(exported)) kernels.set(name, kernel);
}

/** Returns all registered kernels; in a page a kernel is identified by its name alone. */
export const registeredKernels = (): Record<string, unknown> => Object.fromEntries(kernels);
