/** Returns the seconds since 1970, as protocols date their answers. */
export const seconds = (): number => Math.floor(Date.now() / 1000);
