// Gives Jest's transformer, @swc/jest, one cache for all packages, so that a source is compiled only once. Jest's own cache key
// contains the config of the importing package.
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
