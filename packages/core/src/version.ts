/** The version of all packages, as `npm run release` sets it. Servers, clients and logs say it. */
export const VERSION = '0.3.0';
