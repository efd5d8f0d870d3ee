// Makes the Kubernetes manifest of a sweep as one Indexed Job (batch/v1). Each job of the sweep is a pod, which resumes from its
// folder on a persistent volume claim. Source: kubernetes.io/docs/concepts/workloads/controllers/job (backoffLimitPerIndex and
// podFailurePolicy: Kubernetes 1.33; on by default since 1.29 and 1.26).
import { createHash } from 'node:crypto';
import { shellQuoted } from '@bowyer/core';
import { STOPPED_EXIT_CODE } from '../slurm/batch-script.js';
import type { KubernetesConfig } from '../../keys/sweep-schema.js';

interface IndexedTask {
  /** The absolute path of the job's folder, below the path where the volume claim is mounted. */
  directory: string;
  command: readonly string[];
}

const SECONDS_PER_MINUTE = 60;
/** The largest length of the Job's name that leaves space for the index and the suffix in the names of its pods. */
const LONGEST_NAME = 50;

/**
 * Returns the name of the Kubernetes Job. An equal sweep folder gives an equal name, so that a second `kubectl apply` changes the
 * Job instead of starting another one.
 */
export function jobName(name: string, sweepDirectory: string): string {
  const suffix = createHash('sha256').update(sweepDirectory).digest('hex').slice(0, 8);
  return `${name.slice(0, LONGEST_NAME - suffix.length - 1)}-${suffix}`;
}

/**
 * @param tasks of the sweep's jobs, by index
 * @param directory of the sweep
 */
export function jobManifest(tasks: readonly IndexedTask[], config: KubernetesConfig, directory: string) {
  const { namespace, parallelism, retries = 0, timeout_min: minutes } = config;
  const name = config.name ?? 'bowyer';
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: jobName(name, directory), ...given({ namespace }), labels: { app: name } },
    spec: {
      completions: tasks.length,
      parallelism: Math.min(parallelism ?? tasks.length, tasks.length),
      completionMode: 'Indexed',
      backoffLimitPerIndex: retries,
      maxFailedIndexes: tasks.length, // a failed job does not stop the others
      ...(minutes && { activeDeadlineSeconds: Math.ceil(minutes * SECONDS_PER_MINUTE) }),
      // A pod that was preempted or evicted, or that ended after a stop request, is started again without counting as a failure.
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          { action: 'Ignore', onExitCodes: { containerName: 'run', operator: 'In', values: [STOPPED_EXIT_CODE] } },
        ],
      },
      template: { metadata: { labels: { app: name } }, spec: podSpec(tasks, config) },
    },
  };
}

function podSpec(tasks: readonly IndexedTask[], config: KubernetesConfig) {
  const { image, volume_claim: claimName, mount_path: mountPath, grace_seconds: grace } = config;
  const { node_selector: nodeSelector, service_account: serviceAccountName, env = {}, secrets = [] } = config;
  const variables = { ...env, BOWYER_STOPPED_EXIT_CODE: String(STOPPED_EXIT_CODE) };
  return {
    restartPolicy: 'Never', // the Job itself starts new pods, by its failure policy
    ...given({ terminationGracePeriodSeconds: grace, nodeSelector, serviceAccountName }),
    containers: [
      {
        name: 'run',
        image: image!,
        command: ['/bin/sh', '-c', script(tasks)],
        env: Object.entries(variables).map(([name, value]) => ({ name, value })),
        ...(secrets.length > 0 && { envFrom: secrets.map((name) => ({ secretRef: { name } })) }),
        resources: resources(config),
        volumeMounts: [{ name: 'runs', mountPath: mountPath! }],
      },
    ],
    volumes: [{ name: 'runs', persistentVolumeClaim: { claimName: claimName! } }],
  };
}

function resources({ cpus, mem_gb: gigabytes, gpus, gpu_resource: gpu = 'nvidia.com/gpu' }: KubernetesConfig) {
  const memory = gigabytes ? `${Math.ceil(gigabytes * 1024)}Mi` : null;
  const asked = given({ cpu: cpus ? String(cpus) : null, memory });
  // Kubernetes accepts GPUs only as limits, and only whole devices.
  const limits = given({ memory, [gpu]: gpus ? String(gpus) : null });
  return {
    ...(Object.keys(asked).length > 0 && { requests: asked }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

const script = (tasks: readonly IndexedTask[]): string =>
  [
    'case "$JOB_COMPLETION_INDEX" in',
    ...tasks.map(
      ({ directory, command }, index) =>
        `${index}) mkdir -p ${shellQuoted(directory)} && exec ${command.map(shellQuoted).join(' ')} ;;`,
    ),
    'esac',
  ].join('\n');

/** Returns a copy of an object without the members that are null or absent. */
const given = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
