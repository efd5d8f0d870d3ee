// Registers the loggers by the name that the option `logger` selects. Plugins add their own.
import { csvLogger } from './csv-logger.js';
import type { AnyLogger } from './logger.js';
import { wandbLogger } from './wandb/wandb-logger.js';
import { tensorBoardLogger } from './tensorboard/tensorboard-logger.js';

const loggers = new Map<string, AnyLogger>();

/** Adds a logger to the registry. @throws if another logger has the name */
export function registerLogger(unit: AnyLogger): void {
  const other = loggers.get(unit.name);
  if (other !== undefined && other !== unit) throw new Error(`the logger '${unit.name}' is registered already`);
  loggers.set(unit.name, unit);
}

for (const unit of [csvLogger, tensorBoardLogger, wandbLogger]) registerLogger(unit);

export const loggerNames = (): string[] => [...loggers.keys()];

export const findLogger = (name: string): AnyLogger | undefined => loggers.get(name);
