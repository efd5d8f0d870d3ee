/** CRC-32C (Castagnoli), as records of TensorBoard are checked. Source: RFC 3720, appendix B.4; polynomial 0x1EDC6F41, reflected. */
export function crc32c(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) crc = (crc >>> 8) ^ table[(crc ^ byte) & 0xff];
  return ~crc >>> 0;
}

const REFLECTED = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ REFLECTED : crc >>> 1;
  return crc;
});
