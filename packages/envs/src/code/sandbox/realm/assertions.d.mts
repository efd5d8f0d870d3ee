/** An account of what the assertions of one program or test have found. */
export function newAccount(): object;

/** The `assert` of a test: the members of node:assert that the sandbox has. */
export function assertions(account: object): object;
