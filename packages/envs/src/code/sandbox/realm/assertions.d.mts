/** Makes the record of the assertions in one program or test. */
export function newAccount(): object;

/** Makes the `assert` of a program or test, with the members of node:assert that the sandbox has. */
export function assertions(account: object): object;
