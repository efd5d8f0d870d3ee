// Defines the schemas of the config nodes `launcher` and `sweeper`. Their defaults are in configs/launcher and configs/sweeper.
import { Type, type Static, type TProperties, type TSchema } from '@sinclair/typebox';

const closed = { additionalProperties: false } as const;
const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description });
const optionalCount = (description: string, minimum = 1) => Type.Optional(Type.Integer({ minimum, description }));
const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const slurmText = (description: string) =>
  orNull(Type.String({ pattern: '^[^\\n]+$', description: `slurm: ${description}; null: not given to sbatch` }));
const slurmCount = (description: string) =>
  orNull(Type.Integer({ minimum: 1, description: `slurm: ${description}; null: not given to sbatch` }));

/**
 * The options of launcher=slurm, most of which set an option of Slurm's sbatch; the names are those of submitit, which Hydra's
 * Slurm launcher uses.
 */
const slurmKeys = {
  name: orNull(
    Type.String({
      pattern: '^[^\\n]+$',
      description:
        'name of the job; slurm: --job-name, null: not given; kubernetes: beginning of the Job’s name, null: bowyer',
    }),
  ),
  timeout_min: orNull(
    Type.Number({
      exclusiveMinimum: 0,
      description:
        'time limit in minutes; slurm: --time, for each start of a job; kubernetes: for the whole sweep; null: none',
    }),
  ),
  nodes: slurmCount('--nodes'),
  tasks_per_node: slurmCount('--ntasks-per-node, processes that srun starts on each node'),
  cpus_per_task: slurmCount('--cpus-per-task'),
  gpus_per_node: orNull(
    Type.Union([Type.Integer({ minimum: 1 }), Type.String()], {
      description: 'slurm: --gpus-per-node; null: not given to sbatch',
    }),
  ),
  gpus_per_task: orNull(
    Type.Union([Type.Integer({ minimum: 1 }), Type.String()], {
      description: 'slurm: --gpus-per-task; null: not given to sbatch',
    }),
  ),
  cpus_per_gpu: slurmCount('--cpus-per-gpu'),
  mem_gb: orNull(
    Type.Number({
      exclusiveMinimum: 0,
      description: 'memory in GB; slurm: --mem, per node; kubernetes: of each pod; null: not given',
    }),
  ),
  mem_per_cpu: slurmText('--mem-per-cpu'),
  mem_per_gpu: slurmText('--mem-per-gpu'),
  gres: slurmText('--gres'),
  partition: slurmText('--partition'),
  qos: slurmText('--qos'),
  account: slurmText('--account'),
  comment: slurmText('--comment'),
  constraint: slurmText('--constraint'),
  exclude: slurmText('--exclude, nodes not to use'),
  array_parallelism: optionalCount('slurm: largest number of jobs that run at the same time'),
  signal_delay_s: optionalCount('slurm: seconds before the time limit at which a job is asked for its checkpoint', 0),
  max_num_timeout: optionalCount('slurm: how often a job at its time limit is queued again', 0),
  additional_parameters: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[a-z][a-z-]*$' }),
      Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
      {
        description: 'slurm: further options of sbatch; true for one without a value',
      },
    ),
  ),
  setup: orNull(
    Type.Array(Type.String(), { description: 'slurm: shell commands that run before the job; null: none' }),
  ),
  srun_args: Type.Optional(Type.Array(Type.String(), { description: 'slurm: further options of srun' })),
  poll_seconds: Type.Optional(
    Type.Number({ minimum: 0.1, description: 'slurm: seconds between two reads of the queue' }),
  ),
} satisfies TProperties;

const text = (description: string) => Type.String({ pattern: '^[^\\n]+$', description: `kubernetes: ${description}` });

const kubernetesKeys = {
  name: slurmKeys.name,
  image: orNull(text('container image with Node and Bowyer; required')),
  command: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, description: 'kubernetes: how the image starts Bowyer' }),
  ),
  volume_claim: orNull(text('PersistentVolumeClaim for the folders of the runs; required')),
  mount_path: orNull(text('path where pods and this machine mount the claim; required')),
  namespace: orNull(text('namespace of the Job; null: that of kubectl')),
  cpus: orNull(
    Type.Number({ exclusiveMinimum: 0, description: 'kubernetes: CPUs requested by each pod; null: not given' }),
  ),
  mem_gb: slurmKeys.mem_gb,
  gpus: orNull(Type.Integer({ minimum: 1, description: 'kubernetes: GPUs of each pod; null: none' })),
  gpu_resource: Type.Optional(text('name of the GPU resource')),
  node_selector: orNull(
    Type.Record(Type.String(), Type.String(), {
      description: 'kubernetes: labels that a node must have; null: any node',
    }),
  ),
  service_account: orNull(text('service account of the pods; null: the default of the namespace')),
  env: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'kubernetes: environment variables' })),
  secrets: Type.Optional(
    Type.Array(Type.String(), { description: 'kubernetes: Secrets whose keys become environment variables' }),
  ),
  parallelism: optionalCount('kubernetes: largest number of pods at the same time'),
  retries: optionalCount('kubernetes: how often a failed job starts again', 0),
  timeout_min: slurmKeys.timeout_min,
  grace_seconds: optionalCount('kubernetes: seconds from SIGTERM to SIGKILL'),
  apply: Type.Optional(
    Type.Boolean({ description: 'kubernetes: pass the manifest to `kubectl apply`; false: only write it' }),
  ),
} satisfies TProperties;

export const launcherSchema = Type.Object(
  {
    kind: oneOf(
      ['basic', 'local', 'slurm', 'kubernetes'],
      'basic: jobs one after another in this process; local: a process for each job; slurm: a job array; kubernetes: an Indexed Job',
    ),
    jobs: optionalCount('local: largest number of jobs that run at the same time'),
    resume: Type.Optional(
      Type.Boolean({ description: 'local, slurm: leave out jobs that an earlier start of this sweep has finished' }),
    ),
    metrics: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'local, slurm: columns of the summary, keys of results.json or metrics.jsonl; NAME:key for one policy',
      }),
    ),
    ...kubernetesKeys,
    ...slurmKeys,
  },
  { ...closed, description: 'how the jobs of a sweep are started' },
);

/** The keys that each kind of launcher reads in addition to `kind`. */
export const launcherKeys: Readonly<Record<LauncherConfig['kind'], readonly string[]>> = {
  basic: [],
  local: ['jobs', 'resume', 'metrics'],
  slurm: ['resume', 'metrics', ...Object.keys(slurmKeys)],
  kubernetes: Object.keys(kubernetesKeys),
};

/** The default number of trials of a W&B sweep that draws random trials, since without a limit its agents never end. */
export const WANDB_TRIALS = 16;

export const sweeperSchema = Type.Object(
  {
    kind: oneOf(
      ['basic', 'random', 'asha', 'wandb'],
      'basic: every combination of the values; random: random draws; asha: asynchronous successive halving; wandb: a sweep at Weights & Biases',
    ),
    method: Type.Optional(oneOf(['random', 'grid', 'bayes'], 'wandb: how W&B chooses the next trial')),
    trials: orNull(
      Type.Integer({
        minimum: 1,
        description: `random, asha: number of configurations that are drawn; wandb: number of trials of all sweep agents together (null: with method grid all combinations, otherwise ${WANDB_TRIALS})`,
      }),
    ),
    seed: optionalCount('random, asha: seed of the draws', 0),
    metric: Type.Optional(
      Type.String({ description: 'asha, wandb: the figure that is compared, a key as in launcher.metrics' }),
    ),
    direction: Type.Optional(
      oneOf(['maximize', 'minimize'], 'asha, wandb: whether a larger or a smaller metric is better'),
    ),
    resource_key: Type.Optional(Type.String({ description: 'asha: the config key that sets how long a job trains' })),
    min_resource: optionalCount('asha: resource that every configuration gets, in units of resource_key'),
    max_resource: optionalCount('asha: resource of configurations that survive to the end, in units of resource_key'),
    reduction_factor: Type.Optional(
      Type.Number({
        exclusiveMinimum: 1,
        description: 'asha: η; one configuration in η continues, with η times the resource',
      }),
    ),
  },
  { ...closed, description: 'which jobs a sweep consists of' },
);

export type LauncherConfig = Static<typeof launcherSchema>;
export type SweeperConfig = Static<typeof sweeperSchema>;
export type KubernetesConfig = Pick<LauncherConfig, keyof typeof kubernetesKeys>;
export type SlurmConfig = Pick<LauncherConfig, keyof typeof slurmKeys>;
