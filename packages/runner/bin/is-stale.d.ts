/** Whether a package of the checkout is not built, or has sources that are newer than its build. */
export declare function isStale(): boolean;
