// Makes the config node `logger`: a run's loggers by name, each with its options.
import { Type, type TProperties } from '@sinclair/typebox';
import { findLogger, loggerNames } from '@bowyer/logging';
import { changeableOnResume } from '@bowyer/core';
import type { Choices } from '../agent/keys/choices.js';

const description =
  'loggers that get the figures of the run beside its own files; for several write logger=[csv,tensorboard]';

/** Makes the keys of tasks that log metrics: a node with the options of each chosen logger. */
export function loggerKeys({ setting }: Choices): TProperties {
  const chosen = setting('logger');
  const names = typeof chosen === 'object' && chosen !== null ? Object.keys(chosen) : [];
  return { logger: loggerNode(names.filter((name) => findLogger(name) !== undefined)) };
}

/** Makes the schema of the node. @param names of the loggers that the config has chosen */
export function loggerNode(names: readonly string[] = loggerNames()) {
  const properties = Object.fromEntries(names.map((name) => [name, findLogger(name)!.options]));
  return changeableOnResume(Type.Object(properties, { additionalProperties: false, description }));
}
