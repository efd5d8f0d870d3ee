/** The error for a Harbor task that this environment cannot play. The message has the reason. */
export class HarborFault extends Error {}

/** Files of the shell's virtual file system by absolute path. */
export type Files = Readonly<Record<string, Uint8Array>>;
