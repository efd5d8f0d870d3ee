import type { TObject } from '@sinclair/typebox';
import { isGroup, toCamelCase } from '@bowyer/core';

/** Returns those of the values that the schema has, so that the same values can be passed to every algorithm. */
export const knownOptions = ({ properties }: TObject, values: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([key, member]) => {
      const value = values[toCamelCase(key) as keyof typeof values] as object | undefined;
      return value === undefined ? [] : [[toCamelCase(key), isGroup(member) ? knownOptions(member, value) : value]];
    }),
  );
