import { validate, type Composition } from '@bowyer/config';
import { runConfigSchema } from './run-config.js';

/** Refuses a config that the tasks could not run, before anything is made. */
export const validateConfig = (composition: Composition): Promise<void> => validate(composition, runConfigSchema);
