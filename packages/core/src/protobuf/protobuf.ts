// Exports the repository's only encoder and decoder of protobuf messages, which are driven by tables of message fields.
export { decode, decodeBeginning, MessageError, type DecodeOptions } from './decode.js';
export { encode, lengthPrefix } from './encode.js';
export {
  later,
  many,
  map,
  messageType,
  one,
  optional,
  type LaterMessage,
  type Message,
  type MessageOf,
  type MessageType,
} from './message-type.js';
export {
  bool,
  bytes,
  double,
  encodedBytes,
  fixed64Text,
  float,
  int32,
  int64,
  int64Text,
  string,
  type Scalar,
} from './scalars.js';
