import { onnxRuntimePath } from './onnx-runtime.js';

test('the package that npm has left out is named, with the command that installs it without CUDA files', () => {
  const absent = () => {
    throw new Error("Cannot find module 'onnxruntime-node'");
  };
  expect(() => onnxRuntimePath(absent)).toThrow(
    /^onnxruntime-node is not installed.*\n.*\n.*: npm install --ignore-scripts onnxruntime-node@\d+\.\d+\.\d+$/,
  );
});
