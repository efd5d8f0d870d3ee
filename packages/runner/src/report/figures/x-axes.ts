/** The quantities that can be the x axis of learning curves. */
export const X_AXES = ['iterations', 'steps', 'tokens', 'seconds'] as const;
export type XAxis = (typeof X_AXES)[number];
