// Replaces `onnxruntime-node` in a page by the loaded build for browsers.
import { chosenRuntime } from './runtime.js';

export const { InferenceSession, Tensor } = await chosenRuntime();
