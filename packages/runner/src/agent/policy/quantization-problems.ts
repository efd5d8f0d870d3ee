// Settings of a quantised base that its training does not go with.
import type { ConfigProblem } from '@bowyer/core';
import type { AgentConfig } from '../keys/agent-keys.js';

export type QuantizationConfig = Pick<AgentConfig, 'quantization' | 'useLora' | 'device'> &
  Partial<Pick<AgentConfig, 'lora'>>;

export function quantizationProblems({ quantization, useLora, lora, device }: QuantizationConfig): ConfigProblem[] {
  if (quantization !== 'none' && !useLora)
    return [
      {
        key: 'quantization',
        message: `quantization=${quantization}: quantized weights are frozen, so nothing would be trained`,
        remedy: 'write use_lora=true to train adapters beside them',
      },
    ];
  if (!useLora || !lora?.integerProducts) return [];
  const key = 'lora.integer_products';
  if (quantization === 'none')
    return [
      {
        key,
        message: `${key}=true: it needs quantized weights, and quantization=none keeps the base in float32`,
        remedy: `write quantization=8bit or quantization=4bit, or ${key}=false`,
      },
    ];
  if (device !== 'cpu' && device !== 'auto')
    return [
      {
        key,
        message: `${key}=true: device=${device} cannot multiply matrices of integers`,
        remedy: `write device=cpu, or ${key}=false`,
      },
    ];
  return [];
}
