// Lists the families of decoders with published models, by `model_type` of config.json.
import type { Family } from '../family.js';
import { bloom } from './bloom.js';
import { cohere, cohere2 } from './cohere.js';
import { deepseekV3 } from './deepseek.js';
import { ernie45 } from './ernie4-5.js';
import { exaone4 } from './exaone4.js';
import { gptOss, mixtral, qwen3Moe } from './experts.js';
import { falcon } from './falcon.js';
import { gemma, gemma2, gemma3 } from './gemma.js';
import { gemma4, gemma4Unified } from './gemma4.js';
import { glm, glm4 } from './glm.js';
import { gptNeoX } from './gpt-neox.js';
import { gpt2Family } from './gpt2.js';
import { gptJ } from './gptj.js';
import { granite } from './granite.js';
import { lfm2, lfm2Moe } from './lfm2.js';
import { llama } from './llama.js';
import { ministral, ministral3, mistral } from './mistral.js';
import { olmo2, olmo3 } from './olmo.js';
import { opt } from './opt.js';
import { phi, phi3 } from './phi.js';
import { qwen35, qwen35Moe, qwen3Next } from './qwen-hybrid.js';
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
  gemma4_text: gemma4,
  gemma4_unified_text: gemma4Unified,
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
  qwen3_moe: qwen3Moe,
  mixtral,
  gpt_oss: gptOss,
  lfm2,
  lfm2_moe: lfm2Moe,
  qwen3_5_text: qwen35,
  qwen3_5_moe_text: qwen35Moe,
  qwen3_next: qwen3Next,
  deepseek_v3: deepseekV3,
};
