// Families of Bowyer's own, for policies that are made here. They have no published weights, and no other program reads their folders.
import type { Family } from '../family.js';
import { canonLlama } from './canon-llama.js';
import { smearedLlama } from './smeared-llama.js';

export const ownFamilies: Readonly<Record<string, Family>> = {
  canon_llama: canonLlama,
  smeared_llama: smearedLlama,
};
