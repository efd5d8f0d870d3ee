// Checks the manifest against Kubernetes' own schema (kubernetes-models, which is made from its OpenAPI description), and runs
// its command in a shell.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { newFolder } from '@bowyer/testing';
import type { KubernetesConfig } from '../../keys/sweep-schema.js';
import { jobManifest, jobName } from './job-manifest.js';

const place: KubernetesConfig = { image: 'lab/bowyer:1', volume_claim: 'runs', mount_path: '/runs' };
const tasks = [0, 1].map((i) => ({ directory: `/runs/s/${i}`, command: ['npx', 'bowyer', `seed=${i}`, "x='a b'"] }));
const checked = (config: KubernetesConfig) => {
  const manifest = jobManifest(tasks, { ...place, ...config }, '/runs/s');
  new Job(manifest as ConstructorParameters<typeof Job>[0]).validate();
  return manifest;
};

test('the smallest manifest is a Job by the schema, and so is one with every key', () => {
  expect(checked({}).spec).toMatchObject({
    completions: 2,
    parallelism: 2,
    completionMode: 'Indexed',
    backoffLimitPerIndex: 0,
  });
  const { metadata, spec } = checked({
    name: 'sweep',
    namespace: 'lab',
    cpus: 0.5,
    mem_gb: 32,
    gpus: 2,
    gpu_resource: 'amd.com/gpu',
    node_selector: { zone: 'a' },
    service_account: 'me',
    env: { A: '1' },
    secrets: ['wandb'],
    parallelism: 1,
    retries: 3,
    timeout_min: 1.5,
    grace_seconds: 60,
    apply: true,
    command: ['bowyer'],
  });
  expect(metadata).toMatchObject({ name: jobName('sweep', '/runs/s'), namespace: 'lab' });
  expect(spec).toMatchObject({ parallelism: 1, backoffLimitPerIndex: 3, activeDeadlineSeconds: 90 });
  expect(spec.template.spec).toMatchObject({
    nodeSelector: { zone: 'a' },
    serviceAccountName: 'me',
    terminationGracePeriodSeconds: 60,
  });
  expect(spec.template.spec.containers[0]).toMatchObject({
    env: [
      { name: 'A', value: '1' },
      { name: 'BOWYER_STOPPED_EXIT_CODE', value: '75' },
    ],
    envFrom: [{ secretRef: { name: 'wandb' } }],
    resources: { requests: { cpu: '0.5', memory: '32768Mi' }, limits: { memory: '32768Mi', 'amd.com/gpu': '2' } },
  });
});

test('a pod starts the job of its index', () => {
  const folder = newFolder();
  const own = [0, 1].map((i) => ({ directory: join(folder, `it's ${i}`), command: ['echo', `job ${i}`, "x='a b'"] }));
  const [{ command }] = jobManifest(own, place, folder).spec.template.spec.containers;
  const said = execFileSync(command[0], command.slice(1), {
    env: { ...process.env, JOB_COMPLETION_INDEX: '1' },
    encoding: 'utf8',
  });
  expect(said).toBe("job 1 x='a b'\n");
});
