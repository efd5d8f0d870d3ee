// Reports settings of the policy's model with which the loss of the chosen algorithm cannot be computed correctly.
import type { AnyAlgorithm } from '@bowyer/algorithms';
import { oneProblem, type ConfigProblem } from '@bowyer/core';
import { agentFolderOf, isAdapterFolder } from '../../agent/folders/model-folders.js';
import type { AgentConfig, NodePart } from '../../agent/keys/agent-keys.js';

export type LossConfig = Pick<AgentConfig, 'lora'> &
  NodePart<'policy', 'checkpoint' | 'model'> &
  NodePart<'device', 'precision'> & {
    algorithm: { name: string; kl?: { coefficient?: number }; reference?: { quantization?: string } };
  };

export async function lossProblems(unit: AnyAlgorithm | undefined, config: LossConfig): Promise<ConfigProblem[]> {
  const { lora, policy, algorithm } = config;
  const { precision } = config.device;
  const { quantization: referenceQuantization = 'none' } = algorithm.reference ?? {};
  const given = policy.checkpoint ?? policy.model;
  const isAdapter = given !== null && isAdapterFolder(given);
  const problems: ConfigProblem[] = [];
  if (unit?.needsNoDropout) problems.push(...(await dropoutProblems(unit, config, isAdapter ? given : null)));
  if (precision === 'float16' && unit && (unit.valueFunction?.(config.algorithm) ?? null) !== null)
    problems.push({
      key: 'device.precision',
      message: `device.precision=float16: the value head of ${unit.name} computes in float32 alone`,
      remedy: 'write device.precision=float32, or choose an algorithm without a value head, such as grpo',
    });
  if (referenceQuantization !== 'none' && (lora.enabled || isAdapter))
    problems.push({
      key: 'algorithm.reference.quantization',
      message: `algorithm.reference.quantization=${referenceQuantization}: with adapters the reference policy is the same model, and nothing is copied`,
      remedy: 'write algorithm.reference.quantization=none; policy.quantization=4bit makes the base itself smaller',
    });
  if (referenceQuantization !== 'none' && algorithm.kl?.coefficient === 0)
    problems.push({
      key: 'algorithm.reference.quantization',
      message: `algorithm.reference.quantization=${referenceQuantization}: with algorithm.kl.coefficient=0 there is no reference policy`,
      remedy: 'write algorithm.reference.quantization=none, or give algorithm.kl.coefficient',
    });
  return problems;
}

/** @param adapter the adapter with which the policy begins; null where it begins without one */
async function dropoutProblems(
  { name }: AnyAlgorithm,
  { lora }: LossConfig,
  adapter: string | null,
): Promise<ConfigProblem[]> {
  const why = `${name} compares log-probabilities of two passes, which dropout would change in between`;
  if (lora.enabled)
    return lora.dropout === 0
      ? []
      : oneProblem('lora.dropout', `lora.dropout=${lora.dropout}: ${why}`, 'write lora.dropout=0');
  if (adapter === null) return [];
  const { openAdapterDirectory } = await import('@bowyer/models');
  const dropout = (await openAdapterDirectory(agentFolderOf(adapter))).adapter?.dropout ?? 0;
  return dropout === 0
    ? []
    : oneProblem(
        'lora.enabled',
        `the adapter in ${adapter} was trained with dropout ${dropout}: ${why}`,
        'write lora.enabled=true lora.dropout=0, which keep the weights and the rank of the adapter',
      );
}
