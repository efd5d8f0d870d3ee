// Replaces `onnxruntime-node` in a page.
import { chosenRuntime } from './runtime.js';

export const { InferenceSession, Tensor } = await chosenRuntime();
