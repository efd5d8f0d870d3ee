// The families of decoders by `model_type`.
import type { Family } from '../family.js';
import { falcon } from './falcon.js';
import { gptNeoX } from './gpt-neox.js';
import { gpt2Family } from './gpt2.js';
import { llama } from './llama.js';
import { mistral } from './mistral.js';
import { qwen2, qwen3 } from './qwen.js';

export const families: Readonly<Record<string, Family>> = {
  gpt2: gpt2Family,
  falcon,
  gpt_neox: gptNeoX,
  llama,
  mistral,
  qwen2,
  qwen3,
};
