// The protobuf messages of ONNX, in a file of their own: the declarations of onnx-proto name a global type `Long` that no package
// declares, so no declaration of ours that users compile may import them.
import onnxProto from 'onnx-proto';

export const { onnx } = onnxProto;
