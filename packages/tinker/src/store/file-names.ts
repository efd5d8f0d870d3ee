// Names of files for the ids of models, sessions and requests, which contain colons and what clients have named.

/** Reversible, and never `.` or `..`. */
export const fileName = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E').replaceAll('*', '%2A');

export const idOf = (name: string): string => decodeURIComponent(name);
