// Replaces the package `onnxruntime-node` in a page by the build for browsers that was loaded (see runtime.ts).
import { chosenRuntime } from './runtime.js';

export const { InferenceSession, Tensor } = await chosenRuntime();
