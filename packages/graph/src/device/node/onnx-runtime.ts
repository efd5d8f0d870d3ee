// The place where onnxruntime-node is installed. npm removes it where its install script fails, which downloads CUDA files.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DeviceError } from '../../errors.js';

/** Returns the path of onnxruntime-node's main file. Throws a DeviceError where it is not installed. */
export function onnxRuntimePath(resolve: (name: string) => string = createRequire(import.meta.url).resolve): string {
  try {
    return resolve('onnxruntime-node');
  } catch {
    throw new DeviceError(
      [
        `onnxruntime-node is not installed, and every model runs on it`,
        `  npm leaves it out where its install script cannot download CUDA files, which only device=cuda needs;`,
        `  to install it without them: npm install --ignore-scripts onnxruntime-node@${neededVersion()}`,
      ].join('\n'),
    );
  }
}

function neededVersion(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return JSON.parse(manifest).optionalDependencies['onnxruntime-node'];
}
