import { overrideText } from '@bowyer/config';

/**
 * Writes a parameter of a W&B sweep as an override on a trial's command line, from which the trial's config gets exactly this
 * value.
 *
 * @throws {ConfigError} for a value that no override can express
 */
export const overrideOf = (key: string, value: unknown): string => overrideText(key, value);
