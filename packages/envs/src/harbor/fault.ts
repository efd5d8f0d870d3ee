/** The error for a task that cannot be played. The message has the reason. */
export class HarborFault extends Error {}

/** Files of the virtual file system by absolute path. */
export type Files = Readonly<Record<string, Uint8Array>>;
