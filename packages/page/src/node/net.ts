// Replaces the module `node:net` when Bowyer runs in a web page, which cannot open sockets.
export const isIPv6 = (address: string): boolean => address.includes(':');
export function connect(): never {
  throw new Error('a page opens no connection of its own');
}
export default { connect, isIPv6 };
