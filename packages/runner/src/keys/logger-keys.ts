// Makes the schema of the config node `logger`: the chosen loggers by name, each with its options.
import { Type, type TProperties } from '@sinclair/typebox';
import { findLogger, loggerNames } from '@bowyer/logging';
import { changeableOnResume } from '@bowyer/core';
import type { Choices } from '../agent/keys/choices.js';

const description =
  'loggers that get the figures of the run beside its own files; for several write logger=[csv,tensorboard]';

/** Returns the config keys of tasks that log metrics: the config node `logger` with the options of each chosen logger. */
export function loggerKeys({ setting }: Choices): TProperties {
  const chosen = setting('logger');
  const names = typeof chosen === 'object' && chosen !== null ? Object.keys(chosen) : [];
  return { logger: loggerNode(names.filter((name) => findLogger(name) !== undefined)) };
}

/** @param names of the loggers that the config has chosen */
export function loggerNode(names: readonly string[] = loggerNames()) {
  const properties = Object.fromEntries(names.map((name) => [name, findLogger(name)!.options]));
  return changeableOnResume(Type.Object(properties, { additionalProperties: false, description }));
}
