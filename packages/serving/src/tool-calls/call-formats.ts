// All known formats. A new one is a file in formats/ and a line here.
import type { CallFormat } from './call-format.js';
import { deepseekV3, deepseekV31 } from './formats/deepseek.js';
import { functionGemma } from './formats/function-gemma.js';
import { harmony } from './formats/harmony.js';
import { hermes } from './formats/hermes.js';
import { lfm2 } from './formats/lfm2.js';
import { llama3 } from './formats/llama3.js';
import { mistral, mistral11, mistral13 } from './formats/mistral.js';
import { qwenXml } from './formats/qwen-xml.js';

export const callFormats: readonly CallFormat[] = [
  hermes,
  qwenXml,
  mistral,
  mistral11,
  mistral13,
  lfm2,
  harmony,
  functionGemma,
  deepseekV3,
  deepseekV31,
  llama3, // the last one, since its calls have no mark
];
