// Makes schemas of config nodes that have different options in different tasks.
import { group } from '@bowyer/core';
import type { TProperties } from '@sinclair/typebox';

/** @param meaning the description of the node */
export const nodeOf =
  (meaning: string) =>
  <Members extends TProperties>(members: Members) =>
    group(members, meaning);
