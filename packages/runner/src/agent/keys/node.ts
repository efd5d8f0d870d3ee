// Makes the nodes of a config, whose options differ between tasks.
import { group } from '@bowyer/core';
import type { TProperties } from '@sinclair/typebox';

/** Makes a function that groups the options of a node that a task reads. @param meaning of the node */
export const nodeOf =
  (meaning: string) =>
  <Members extends TProperties>(members: Members) =>
    group(members, meaning);
