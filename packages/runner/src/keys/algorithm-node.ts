// Makes the schema of the config node `algorithm`: the name of the chosen algorithm, and its options.
import { Type, type TObject } from '@sinclair/typebox';
import type { AnyAlgorithm } from '@bowyer/algorithms';
import { group } from '@bowyer/core';

const name = Type.String({
  description: 'name of the algorithm; choose one with algorithm=NAME',
  flat: 'agent_type',
});

/** @param options of the algorithm; a task that only plays reads fewer of them */
export const algorithmNode = (
  algorithm: AnyAlgorithm | null,
  options: TObject | undefined = algorithm?.options as TObject | undefined,
): TObject => group({ name, ...options?.properties }, 'how the policy learns');
