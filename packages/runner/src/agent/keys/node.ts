// Makes schemas of config nodes that have different options in different tasks.
import { group } from '@bowyer/core';
import type { TProperties } from '@sinclair/typebox';

/**
 * Returns a function that makes the schema of a node from the options that a task reads.
 *
 * @param meaning the description of the node
 */
export const nodeOf =
  (meaning: string) =>
  <Members extends TProperties>(members: Members) =>
    group(members, meaning);
