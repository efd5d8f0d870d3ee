/** Says what is wrong with a text of JSON in which an object has a key twice, for readers that keep one value of each. */
export const repeatedKeyProblem = (key: string): string =>
  `has an object with the key ${JSON.stringify(key)} twice, of which one would be lost; remove one`;
