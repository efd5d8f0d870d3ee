export { GraphBuilder } from './builder.js';
export { type Graph } from './graph.js';
export {
  Value,
  type Attributes,
  type Float16Form,
  type GradientRule,
  type GraphNode,
  type InputGradient,
  type Op,
  type Operand,
  type OperatorMethods,
  type OpSpec,
  type ReduceOptions,
  type WebgpuForm,
} from './ir.js';
export { addDims, divideDims, multiplyDims, subtractDims, type Dim, type Shape } from './dims.js';
export { type DataType, type Precision, type TensorArray } from './dtype.js';
export { StoredTensor, type FrozenData } from './stored-tensor.js';
export { toFloat16 } from './float16.js';
export { defineOp } from './op.js';
export { withGradient } from './custom-gradient.js';
export { dependencies, gradients, type GradientOptions } from './gradients.js';
export { PartsInTurn } from './parts-in-turn.js';
export { notBefore, type RecomputeOptions } from './recomputation.js';
export { checkGradients, type GradientComparison, type GradientSample } from './check-gradients.js';
export { serialize } from './serialize.js';
export { float16Form } from './float16-form.js';
export { webgpuForm } from './webgpu-form.js';
export { onnxFiles, type FileTensor, type OnnxFile } from './onnx-file.js';
export { openDevice, type Device, type DeviceOptions } from './device/device.js';
export {
  type GraphKernelBuilder,
  type GraphKernelContext,
  type GraphKernelResult,
  type Kernel,
  type KernelArguments,
  type KernelSource,
} from './device/kernel-handles.js';
export {
  type BoundProgram,
  type InputTensor,
  type Program,
  type ProgramWiring,
  type RunFeeds,
  type RunOutputs,
} from './device/program.js';
export { HostMemory, LOOP_BYTES, wasmMemoryOf, type WasmMemory } from './device/host-memory.js';
export { type DeviceKind, type GpuBuffers } from './device/protocol.js';
export { State, type StateTensorInfo, type StateTensorInit, type TensorCopy } from './device/state.js';
export {
  type HostKernel,
  type KernelCall,
  type KernelProgram,
  type KernelView,
  type KernelState,
  type KernelTensor,
} from './device/kernel.js';
export * from './device/node/front-door.js';
export { DeviceError } from './errors.js';
