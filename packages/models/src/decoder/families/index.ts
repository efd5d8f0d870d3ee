// The families of decoders by `model_type`.
import type { Family } from '../family.js';
import { bloom } from './bloom.js';
import { cohere, cohere2 } from './cohere.js';
import { ernie45 } from './ernie4-5.js';
import { exaone4 } from './exaone4.js';
import { falcon } from './falcon.js';
import { gemma, gemma2, gemma3 } from './gemma.js';
import { glm, glm4 } from './glm.js';
import { gptNeoX } from './gpt-neox.js';
import { gpt2Family } from './gpt2.js';
import { gptJ } from './gptj.js';
import { granite } from './granite.js';
import { llama } from './llama.js';
import { ministral, ministral3, mistral } from './mistral.js';
import { olmo2, olmo3 } from './olmo.js';
import { opt } from './opt.js';
import { phi, phi3 } from './phi.js';
import { qwen2, qwen3 } from './qwen.js';
import { seedOss } from './seed-oss.js';
import { smolLm3 } from './smollm3.js';
import { stableLm } from './stablelm.js';
import { starcoder2 } from './starcoder2.js';

export const families: Readonly<Record<string, Family>> = {
  gpt2: gpt2Family,
  falcon,
  gpt_neox: gptNeoX,
  llama,
  mistral,
  qwen2,
  qwen3,
  gemma3_text: gemma3,
  gemma2,
  gemma,
  smollm3: smolLm3,
  ministral,
  ministral3,
  phi3,
  olmo2,
  olmo3,
  granite,
  glm,
  glm4,
  ernie4_5: ernie45,
  exaone4,
  seed_oss: seedOss,
  phi,
  gptj: gptJ,
  opt,
  stablelm: stableLm,
  starcoder2,
  cohere,
  cohere2,
  bloom,
};
