import type { TSchema } from '@sinclair/typebox';

/** Marks a key that does not decide a run's numbers: a run that is resumed may change it. */
export const undecided = <T extends TSchema>(schema: T): T => ({ ...schema, decides: false });
