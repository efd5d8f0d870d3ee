// Reports settings with which a policy on a quantized base cannot be trained.
import type { ConfigProblem } from '@bowyer/core';
import type { NodePart } from '../keys/agent-keys.js';

export type QuantizationConfig = NodePart<'policy', 'quantization'> &
  NodePart<'device', 'kind'> & { lora: { enabled: boolean; integerProducts?: boolean } };

export function quantizationProblems({ policy, lora, device }: QuantizationConfig): ConfigProblem[] {
  const { quantization } = policy;
  if (quantization !== 'none' && !lora.enabled)
    return [
      {
        key: 'quantization',
        message: `quantization=${quantization}: quantized weights are frozen, so nothing would be trained`,
        remedy: 'write use_lora=true to train adapters beside them',
      },
    ];
  if (!lora.enabled || !lora.integerProducts) return [];
  const key = 'lora.integer_products';
  if (quantization === 'none')
    return [
      {
        key,
        message: `${key}=true: it needs quantized weights, and quantization=none keeps the base in float32`,
        remedy: `write quantization=8bit or quantization=4bit, or ${key}=false`,
      },
    ];
  const { kind } = device;
  if (kind !== 'cpu' && kind !== 'auto')
    return [
      {
        key,
        message: `${key}=true: device=${kind} cannot multiply matrices of integers`,
        remedy: `write device=cpu, or ${key}=false`,
      },
    ];
  return [];
}
