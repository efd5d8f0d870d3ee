/**
 * Frees the memory of an array at once; the array, and all others on its buffer, are empty afterwards. The garbage collector may
 * leave hundreds of MiB for minutes. Does nothing if the array is a part of a larger buffer.
 */
export function freeMemory({ buffer, byteLength }: ArrayBufferView): void {
  if (byteLength === 0 || byteLength !== buffer.byteLength) return;
  // The receiving port is closed, so the transfer drops the memory.
  const { port1 } = new MessageChannel();
  port1.close();
  port1.postMessage(null, [buffer as ArrayBuffer]);
}
