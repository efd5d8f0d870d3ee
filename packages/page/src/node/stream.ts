// Replaces the module `node:stream` when Bowyer runs in a web page.
import stream from 'readable-stream';

export default stream;
export const {
  addAbortSignal,
  Duplex,
  finished,
  PassThrough,
  pipeline,
  promises,
  Readable,
  Stream,
  Transform,
  Writable,
} = stream;
