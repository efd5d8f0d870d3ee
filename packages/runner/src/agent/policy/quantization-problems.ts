// Reports settings with which a policy on a quantized base cannot be trained.
import { oneProblem, type ConfigProblem } from '@bowyer/core';
import type { NodePart } from '../keys/agent-keys.js';

export type QuantizationConfig = NodePart<'policy', 'quantization'> &
  NodePart<'device', 'kind'> & { lora: { enabled: boolean; integerProducts?: boolean } };

export function quantizationProblems({ policy, lora, device }: QuantizationConfig): ConfigProblem[] {
  const { quantization } = policy;
  if (quantization !== 'none' && !lora.enabled)
    return oneProblem(
      'quantization',
      `quantization=${quantization}: quantized weights are frozen, so nothing would be trained`,
      'write use_lora=true to train adapters beside them',
    );
  if (!lora.enabled || !lora.integerProducts) return [];
  const key = 'lora.integer_products';
  if (quantization === 'none')
    return oneProblem(
      key,
      `${key}=true: it needs quantized weights, and quantization=none keeps the base in float32`,
      `write quantization=8bit or quantization=4bit, or ${key}=false`,
    );
  const { kind } = device;
  if (kind !== 'cpu' && kind !== 'auto')
    return oneProblem(
      key,
      `${key}=true: device=${kind} cannot multiply matrices of integers`,
      `write device=cpu, or ${key}=false`,
    );
  return [];
}
