// Defines the environment `openenv`, a client that plays any environment on a server of the OpenEnv protocol.
import { missingAddress } from '../agentgym/backend.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith } from '../unit.js';
import { OpenEnvEnv } from './open-env-env.js';
import { openEnvSchema, type OpenEnvOptions } from './options.js';

export const openEnvUnit = defineEnvironment<OpenEnvOptions>({
  name: 'openenv',
  description: 'Any environment on a server of the OpenEnv protocol.',
  schema: openEnvSchema,
  resetSchema: resetSchemaWith(),
  make: (options) => new OpenEnvEnv(options),
  splits: 'seeds',
  sampleActions: ['look', '{"message": "look"}', ''],
  config: {
    readWith: { actionField: { actionFormat: ['text'] } },
    problems: (options) => missingAddress('openenv', options),
  },
  // The return of an episode is a number from 0 to 1.
  critic: { typicalReturn: () => 0.3 },
});
