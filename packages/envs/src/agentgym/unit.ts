// Defines the environments that can be played only on AgentGym's servers.
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith } from '../unit.js';
import { agentGymEnv } from './agentgym-env.js';
import { agentGymNames, missingAddress } from './backend.js';
import { instructionsOf } from './instructions.js';
import { agentGymSchema, type AgentGymOptions } from './options.js';
import { servedSplits } from './splits.js';

const descriptions = {
  webarena: "WebArena's web sites in a browser, on AgentGym's server.",
  searchqa: "Questions to answer by searching passages, on AgentGym's server.",
  sqlgym: "Questions to answer by a query on a BIRD database, on AgentGym's server.",
  weather: "A weather service's tools, on AgentGym's server.",
  movie: "A film database's tools, on AgentGym's server.",
  todo: "A task list's tools, on AgentGym's server.",
  academia: "A citation graph's tools, on AgentGym's server.",
  sheet: "A spreadsheet's tools, on AgentGym's server.",
} as const;

type RemoteOnlyEnv = keyof typeof descriptions;

const dataIdx = {
  description: 'Number of the problem on the server; absent: the seed draws one.',
  type: 'integer',
} as const;

const sampleActions = [
  'Thought:\nI look.\n\nAction:\nlook around',
  'Action: turn left',
  '```stop [42]```',
  '<answer>42</answer>',
  '```sql\nSELECT 1\n```',
  'Action: finish with Action Input: {"answer": 1}',
  '',
];

const unitOf = (name: RemoteOnlyEnv) =>
  defineEnvironment<AgentGymOptions>({
    name,
    description: descriptions[name],
    rules: ({ actionFormat }) => instructionsOf(name, actionFormat, null),
    schema: agentGymSchema,
    resetSchema: resetSchemaWith({ dataIdx }),
    make: (options) => agentGymEnv(name, options),
    splits: (options) => servedSplits(name, options),
    sampleActions,
    // The return of an episode is a number from 0 to 1.
    critic: { typicalReturn: () => 0.3 },
    config: { flatNames: agentGymNames, problems: (options) => missingAddress(name, options) },
  });

export const remoteOnlyEnvs = Object.keys(descriptions) as readonly RemoteOnlyEnv[];

export const remoteOnlyUnits = Object.fromEntries(remoteOnlyEnvs.map((name) => [name, unitOf(name)])) as Record<
  RemoteOnlyEnv,
  ReturnType<typeof unitOf>
>;
