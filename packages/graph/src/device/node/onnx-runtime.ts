// Finds the package onnxruntime-node. It may be missing: it is an optional dependency, which npm removes if its install script
// fails, and the script downloads CUDA files.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DeviceError } from '../../errors.js';

/** Returns the path of onnxruntime-node's main file. @throws DeviceError if it is not installed */
export function onnxRuntimePath(resolve: (name: string) => string = createRequire(import.meta.url).resolve): string {
  try {
    return resolve('onnxruntime-node');
  } catch {
    throw new DeviceError(
      [
        `onnxruntime-node is not installed, and every model runs on it`,
        `  npm leaves it out where its install script cannot download CUDA files, which only device.kind=cuda needs;`,
        `  to install it without them: npm install --ignore-scripts onnxruntime-node@${neededVersion()}`,
      ].join('\n'),
    );
  }
}

function neededVersion(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return JSON.parse(manifest).optionalDependencies['onnxruntime-node'];
}
