// What the `launcher` and `sweeper` nodes of a config may contain. Defaults are in configs/launcher and configs/sweeper.
import { Type, type Static } from '@sinclair/typebox';

const closed = { additionalProperties: false } as const;
const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description });
const optionalCount = (description: string, minimum = 1) => Type.Optional(Type.Integer({ minimum, description }));

export const launcherSchema = Type.Object(
  {
    kind: oneOf(['basic', 'local'], 'basic: jobs one after another in this process; local: a process for each job'),
    jobs: optionalCount('local: jobs at once'),
    resume: Type.Optional(
      Type.Boolean({ description: 'local: leave out what an earlier start of this sweep finished' }),
    ),
    metrics: Type.Optional(
      Type.Array(Type.String(), {
        description: 'local: columns of the summary, keys of results.json or metrics.jsonl; NAME:key for one policy',
      }),
    ),
  },
  { ...closed, description: 'how the jobs of a sweep are started' },
);

export const sweeperSchema = Type.Object(
  {
    kind: oneOf(
      ['basic', 'random', 'asha', 'wandb'],
      'basic: every combination; random: draws; asha: successive halving; wandb: a sweep at Weights & Biases',
    ),
    method: Type.Optional(oneOf(['random', 'grid', 'bayes'], 'wandb: how W&B chooses the next trial')),
    trials: optionalCount('random, asha: configurations to draw; wandb: trials of all agents'),
    seed: optionalCount('random, asha: decides what is drawn', 0),
    metric: Type.Optional(Type.String({ description: 'asha, wandb: what is compared, a key as in launcher.metrics' })),
    direction: Type.Optional(oneOf(['maximize', 'minimize'], 'asha, wandb: which end of the metric is good')),
    resource_key: Type.Optional(Type.String({ description: 'asha: the config key that sets how long a job trains' })),
    min_resource: optionalCount('asha: resource of every configuration, in units of resource_key'),
    max_resource: optionalCount('asha: resource of those that survive to the end, in units of resource_key'),
    reduction_factor: Type.Optional(
      Type.Number({ exclusiveMinimum: 1, description: 'asha: η; one in η continues, with η times the resource' }),
    ),
  },
  { ...closed, description: 'which jobs a sweep has' },
);

export type LauncherConfig = Static<typeof launcherSchema>;
export type SweeperConfig = Static<typeof sweeperSchema>;
