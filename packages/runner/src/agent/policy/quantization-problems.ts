// Reports settings with which a policy whose base weights are quantized (QLoRA) cannot be trained.
import { oneProblem, type ConfigProblem } from '@bowyer/core';
import type { NodePart } from '../keys/agent-keys.js';

export type QuantizationConfig = NodePart<'policy', 'quantization'> &
  NodePart<'device', 'kind'> & { lora: { enabled: boolean; integerProducts?: boolean } };

export function quantizationProblems({ policy, lora, device }: QuantizationConfig): ConfigProblem[] {
  const { quantization } = policy;
  if (quantization !== 'none' && !lora.enabled)
    return oneProblem(
      'policy.quantization',
      `policy.quantization=${quantization}: quantized weights are frozen, so nothing would be trained`,
      'write lora.enabled=true to train adapters beside them',
    );
  if (!lora.enabled || !lora.integerProducts) return [];
  const key = 'lora.integer_products';
  if (quantization === 'none')
    return oneProblem(
      key,
      `${key}=true: it needs quantized weights, and policy.quantization=none keeps the base in float32`,
      `write policy.quantization=8bit or policy.quantization=4bit, or ${key}=false`,
    );
  const { kind } = device;
  if (kind !== 'cpu' && kind !== 'auto')
    return oneProblem(
      key,
      `${key}=true: device.kind=${kind} cannot multiply matrices of integers`,
      `write device.kind=cpu, or ${key}=false`,
    );
  return [];
}
