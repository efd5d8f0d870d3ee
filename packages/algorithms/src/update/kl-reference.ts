// The reference policy of a loss with a KL penalty: the start of the run.
import { oneOf } from '@bowyer/core';
import type { Quantization } from '@bowyer/models';
import type { ReferencePolicy, TrainingRun } from '../unit.js';

export const referenceKeys = {
  reference_quantization: oneOf(
    ['none', '8bit', '4bit'],
    'bits of the linear layers in a reference policy that is a copy of all weights; with adapters nothing is copied',
  ),
};

/** @returns the start of the run, to be released; null without a penalty, so that nothing is copied */
export async function klReference(
  run: Pick<TrainingRun, 'openReference'>,
  { klCoefficient, referenceQuantization }: { klCoefficient: number; referenceQuantization: Quantization },
): Promise<ReferencePolicy | null> {
  return klCoefficient > 0 ? run.openReference({ quantization: referenceQuantization }) : null;
}
