// Converts the ids of models, sessions and requests to file names, since ids contain colons and names that clients choose.

/** Returns a file name from which `idOf` can restore the id, and which is never `.` or `..`. */
export const fileName = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E').replaceAll('*', '%2A');

export const idOf = (name: string): string => decodeURIComponent(name);
