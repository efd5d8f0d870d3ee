/**
 * Frees the memory of an array at once; the array, and all others on its buffer, are empty afterwards. The garbage collector would free
 * it too, but may leave hundreds of MiB for minutes. It does nothing if the array is a part of a larger buffer, which others use.
 */
export function freeMemory({ buffer, byteLength }: ArrayBufferView): void {
  if (byteLength === 0 || byteLength !== buffer.byteLength) return;
  // The receiving port is closed, so the transfer drops the memory.
  const { port1 } = new MessageChannel();
  port1.close();
  port1.postMessage(null, [buffer as ArrayBuffer]);
}
