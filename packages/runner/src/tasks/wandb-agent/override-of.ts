import { overrideText } from '@bowyer/config';

/** Writes a parameter of a sweep as a word of the command line, from which the trial reads exactly that value. @throws {ConfigError} for a value that no word can express */
export const overrideOf = (key: string, value: unknown): string => overrideText(key, value);
