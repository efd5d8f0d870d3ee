// What may be asked of the reference policy, the start of the run.
import { oneOf } from '@bowyer/core';

export const referenceKeys = {
  reference_quantization: oneOf(
    ['none', '8bit', '4bit'],
    'bits of the linear layers in a reference policy that is a copy of all weights; with adapters nothing is copied',
  ),
};
