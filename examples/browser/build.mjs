// Copies what the page loads from node_modules to vendor/: transformers.js and ONNX Runtime's WebAssembly build without a GPU.
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const modules = join(import.meta.dirname, 'node_modules');
const vendor = join(import.meta.dirname, 'vendor');
const runtime = join(modules, 'onnxruntime-web/dist');

await rm(vendor, { recursive: true, force: true });
await mkdir(vendor);
await cp(join(modules, '@huggingface/transformers/dist/transformers.web.min.js'), join(vendor, 'transformers.js'));
await cp(join(modules, 'onnxruntime-common/dist/esm'), join(vendor, 'onnxruntime-common'), {
  recursive: true,
  filter: (path) => !/\.(map|d\.ts)$/.test(path),
});
for (const file of ['ort.wasm.min.mjs', 'ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm'])
  await cp(join(runtime, file), join(vendor, file));
