/** Returns the current time in seconds since 1970, which protocols write into their answers. */
export const seconds = (): number => Math.floor(Date.now() / 1000);
