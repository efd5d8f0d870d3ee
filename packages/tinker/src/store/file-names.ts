// Converts the ids of models, sessions and requests to file names. The ids contain colons and names from clients.

/** Returns a file name from which the id can be read back, and which is never `.` or `..`. */
export const fileName = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E').replaceAll('*', '%2A');

export const idOf = (name: string): string => decodeURIComponent(name);
