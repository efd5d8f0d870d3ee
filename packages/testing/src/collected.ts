import { Readable } from 'node:stream';

/** Returns what a stream yields, once it has ended. */
export const collected = <T>(items: AsyncIterable<T>): Promise<T[]> => Readable.from(items).toArray() as Promise<T[]>;
