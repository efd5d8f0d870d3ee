import { overrideText } from '@bowyer/config';

/** A parameter of a sweep as a word of the command line: the trial reads the very value. @throws {ConfigError} where none can say it */
export const overrideOf = (key: string, value: unknown): string => overrideText(key, value);
