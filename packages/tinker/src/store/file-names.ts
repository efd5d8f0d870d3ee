// Names of files for the ids of models, sessions and requests, which contain colons and what clients have named.

/** Returns a file name from which the id can be read back, and which is never `.` or `..`. */
export const fileName = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E').replaceAll('*', '%2A');

export const idOf = (name: string): string => decodeURIComponent(name);
