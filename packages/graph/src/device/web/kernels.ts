// The kernels of a page: a bundler needs their modules by name, so that each package registers its own instead of naming a file.
const kernels = new Map<string, unknown>();

/** Registers kernels under the names of their exports, for devices of this thread. */
export function registerKernels(exported: Readonly<Record<string, unknown>>): void {
  for (const [name, kernel] of Object.entries(exported)) kernels.set(name, kernel);
}

/** Returns all registered kernels: in a page a kernel is found by its name alone. */
export const registeredKernels = (): Record<string, unknown> => Object.fromEntries(kernels);
