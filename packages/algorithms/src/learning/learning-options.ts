// Declares options that several algorithms share.
import { choice, fraction, group, integer } from '@bowyer/core';

export const gammaOption = (value: number, description = 'discount per turn') =>
  fraction(value, description, { flat: 'gamma' });

/** Declares the number and the size of micro-batches. `unit` names what a micro-batch contains. */
export const batchMembers = (unit: string, { size = 8, accumulationSteps = 32 } = {}) => ({
  size: integer(size, `${unit} per micro-batch`, { flat: 'batch_size' }),
  accumulation_steps: integer(accumulationSteps, 'micro-batches per optimizer step', { flat: 'grad_accum_steps' }),
});

/** Micro-batches whose gradients are added or averaged. `unit` names what they contain, such as turns. */
export const summedBatch = (unit: string) =>
  group(
    {
      ...batchMembers(unit),
      reduction: choice(['sum', 'mean'], 'sum', 'the gradients of the micro-batches are added, or averaged', {
        flat: 'grad_reduction',
      }),
    },
    'what an optimizer step is made of',
  );

/** Declares the batch of an optimizer step whose loss is the mean over all of its micro-batches. */
export const meanBatch = (unit: string, defaults: { size: number; accumulationSteps: number }) =>
  group(batchMembers(unit, defaults), 'what an optimizer step is made of; its loss is the mean over all micro-batches');
