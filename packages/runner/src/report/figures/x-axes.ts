/** The axes that curves are drawn over. */
export const X_AXES = ['iterations', 'steps', 'tokens', 'seconds'] as const;
export type XAxis = (typeof X_AXES)[number];
