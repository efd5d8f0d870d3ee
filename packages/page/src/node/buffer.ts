// Replaces the module `node:buffer` when Bowyer runs in a web page.
import { Buffer, kMaxLength } from 'buffer';

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export const constants = { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: 2 ** 29 - 24 };
export { Buffer, kMaxLength };
export default { Buffer, constants, isUtf8, kMaxLength };
