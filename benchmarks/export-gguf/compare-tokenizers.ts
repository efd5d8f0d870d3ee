export async function compareTokenizers(..._: unknown[]): Promise<void> {}
