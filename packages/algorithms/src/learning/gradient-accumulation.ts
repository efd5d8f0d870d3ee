import { count, oneOf } from '@bowyer/core';

/** Config keys of an optimizer step that is made of several micro-batches. @param unit what a micro-batch consists of */
export const gradientAccumulationKeys = (unit: string) => ({
  batch_size: count(`${unit} per micro-batch`),
  grad_accum_steps: count('micro-batches per optimizer step'),
  grad_reduction: oneOf(['sum', 'mean'], 'the gradients of the micro-batches are added, or averaged'),
});
