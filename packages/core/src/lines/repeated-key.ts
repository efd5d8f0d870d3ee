/** Returns the message about an object that has a key twice, for readers that would keep only one of the values. */
export const repeatedKeyProblem = (key: string): string =>
  `has an object with the key ${JSON.stringify(key)} twice, of which one would be lost; remove one`;
