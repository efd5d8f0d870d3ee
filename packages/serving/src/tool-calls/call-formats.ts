// Lists all known formats in which models write tool calls. To add one, make a file in formats/ and a line in this list.
import type { CallFormat } from './call-format.js';
import { deepseekV3, deepseekV31, kimiK2 } from './formats/deepseek.js';
import { functionGemma, gemma4 } from './formats/gemma.js';
import { harmony } from './formats/harmony.js';
import { hermes } from './formats/hermes.js';
import { apriel, functools, gigachat, nemotron } from './formats/json-lists.js';
import { lfm2 } from './formats/lfm2.js';
import { llama3 } from './formats/llama3.js';
import { mistral, mistral11, mistral13 } from './formats/mistral.js';
import { deepseekV32, deepseekV4, glm45, glm47, minimax, qwenXml, seedXml } from './formats/tagged.js';

export const callFormats: readonly CallFormat[] = [
  hermes,
  qwenXml,
  seedXml,
  glm45,
  glm47,
  minimax,
  mistral,
  mistral11,
  mistral13,
  lfm2,
  harmony,
  functionGemma,
  gemma4,
  deepseekV3,
  deepseekV31,
  deepseekV32,
  deepseekV4,
  kimiK2,
  apriel,
  nemotron,
  functools,
  gigachat,
  llama3, // it comes last, since its calls have no marker that distinguishes them from other formats
];
