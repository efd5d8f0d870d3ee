/** The version of all packages, which `npm run release` sets, for servers, clients and logs. */
export const VERSION = '0.3.0';
