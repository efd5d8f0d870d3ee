// Jest's transformer, @swc/jest, with one cache for all packages: a source that ten packages import is compiled once. Jest's own cache
// key has the config of the package that imports the file.
import { createHash } from 'node:crypto';
import { version } from '@swc/core';
import swc from '@swc/jest';

export default {
  createTransformer(options) {
    const settings = JSON.stringify([version, options]);
    const getCacheKey = (source, path, { supportsStaticESM, instrument }) =>
      createHash('sha256')
        .update(JSON.stringify([settings, supportsStaticESM, instrument, path, source]))
        .digest('hex');
    return { ...swc.createTransformer(options), getCacheKey };
  },
};
