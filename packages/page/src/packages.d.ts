// Declares the types of npm packages that have no type declarations.
declare module 'path-browserify' {
  import path from 'node:path';
  const browserPath: typeof path.posix;
  export default browserPath;
  export const dirname: typeof path.posix.dirname;
}
declare module 'readable-stream' {
  import stream from 'node:stream';
  export default stream;
}
