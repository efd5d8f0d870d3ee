/** The subfolder of a run in which the model calls of a user's agents are recorded. */
export const CALLS_FOLDER = 'calls';
