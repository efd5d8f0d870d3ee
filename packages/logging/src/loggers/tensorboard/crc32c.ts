/**
 * Computes CRC-32C (Castagnoli), the checksum of the records in TensorBoard's files. Source: RFC 3720, appendix B.4; polynomial
 * 0x1EDC6F41, reflected.
 *
 * Four bytes are processed at a time: table k contains the effect of a byte on the checksum after k further bytes.
 */
export function crc32c(bytes: Uint8Array): number {
  let crc = ~0;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    crc ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    crc =
      tables[768 + (crc & 0xff)] ^
      tables[512 + ((crc >>> 8) & 0xff)] ^
      tables[256 + ((crc >>> 16) & 0xff)] ^
      tables[crc >>> 24];
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]) & 0xff];
  return ~crc >>> 0;
}

const REFLECTED = 0x82f63b78;

const tables = new Uint32Array(4 * 256);
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ REFLECTED : crc >>> 1;
  tables[byte] = crc;
}
for (let i = 256; i < tables.length; i++) tables[i] = (tables[i - 256] >>> 8) ^ tables[tables[i - 256] & 0xff];
