// Lists the families of decoders that exist only in this repository, for policies trained from scratch. They have no published
// weights, and other programs cannot read their checkpoints.
import type { Family } from '../family.js';
import { canonLlama } from './canon-llama.js';
import { smearedLlama } from './smeared-llama.js';

export const ownFamilies: Readonly<Record<string, Family>> = {
  canon_llama: canonLlama,
  smeared_llama: smearedLlama,
};
