/** Folder of a run with the records of its agents' calls. */
export const CALLS_FOLDER = 'calls';
