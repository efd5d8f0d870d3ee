export { ModelServer, type ModelServerOptions } from './model-server/model-server.js';
export { EnvServer, type EnvServerOptions } from './env-server/env-server.js';
export { serveEnv, type ServeEnvOptions } from './env-server/serve-env.js';
export { SteppedTokenizer } from './model-server/stepped-tokenizer.js';
export { OpenEnvServer, type OpenEnvServerOptions } from './open-env/open-env-server.js';
export { serveOpenEnv, type ServeOpenEnvOptions } from './open-env/serve-open-env.js';
