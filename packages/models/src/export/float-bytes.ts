// Converts numbers to the bytes of exported files.
import { toFloat16 } from '@bowyer/graph';

export const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array | Uint16Array | Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Converts to float16. @param advice the remedy in the error for a number beyond float16's range; `place` begins its message */
export function float16Bytes(numbers: Float32Array, advice: string, place = ''): Uint8Array {
  const halves = toFloat16(numbers);
  const beyond = halves.findIndex((half) => (half & 0x7c00) === 0x7c00);
  if (beyond >= 0) throw new RangeError(`${place}${numbers[beyond]} is beyond the numbers of float16: ${advice}`);
  return bytesOf(halves);
}
