// Bundles the modules that a device's worker loads to JavaScript when the packages run from their TypeScript sources (tests,
// tsx), since a TypeScript loader would cost each worker a second. When running from `dist`, the files themselves are used.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const bundles = new Map<string, string>();

export const isSource = (module: string): boolean => module.endsWith('.ts');

/** Returns the module with everything that it imports except ONNX Runtime, as one text. */
export function bundleOf(module: string, format: 'cjs' | 'esm'): string {
  const known = bundles.get(module);
  if (known !== undefined) return known;
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(module)],
    bundle: true,
    platform: 'node',
    format,
    conditions: ['source'],
    external: ['onnxruntime-node'],
    define: { 'import.meta.url': JSON.stringify(module) },
    write: false,
  });
  bundles.set(module, outputFiles[0].text);
  return outputFiles[0].text;
}

/** Returns the module that the worker imports for a kernel, given the URL of its compiled file. */
export function kernelModule(module: URL): string {
  const source = module.href.replace(/\.js$/, '.ts');
  const isCompiled = !isSource(module.href) && existsSync(module);
  if (isCompiled || !isSource(source) || !existsSync(new URL(source))) return module.href;
  return `data:text/javascript,${encodeURIComponent(bundleOf(source, 'esm'))}`;
}
