// The node `algorithm`: the name of the chosen algorithm, and its options.
import { Type, type TObject, type TProperties } from '@sinclair/typebox';
import type { AnyAlgorithm } from '@bowyer/algorithms';
import { placed } from '@bowyer/core';

const description = 'how the policy learns';

/** Makes the keys of the node. @param options of the algorithm; those of a task that only plays are fewer */
export const algorithmKeys = (
  algorithm: AnyAlgorithm | null,
  options: TObject | undefined = algorithm?.options as TObject | undefined,
): TProperties => ({
  ...placed(
    'algorithm',
    { agent_type: Type.String({ description: 'name of the algorithm; choose one with algorithm=NAME' }) },
    { agent_type: 'name' },
  ),
  ...(options && { algorithm: { ...options, description } }),
});
