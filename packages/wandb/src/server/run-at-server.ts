// Creates or finds a run at W&B's server, and updates the config that the server has of it.
import type { WandbClient } from './client.js';
import { RUN_RESUME_STATUS, UPSERT_BUCKET, type RunResumeStatusAnswer, type UpsertBucketAnswer } from './queries.js';
import { parseJsonText } from '../log/raw-json.js';
import type { RunRecord } from '../log/records.js';
import { NO_BASE, type Base } from './run-projection.js';
import type { SenderState } from './sender-state.js';
import type { Resume } from '../place/settings.js';
import { WandbError } from './wandb-error.js';

/**
 * Creates the run at the server, or finds it there. @returns the names that the run has at the server, of which entity and
 * project may differ from the requested ones
 */
export async function createRun(
  client: WandbClient,
  run: RunRecord,
  config: string,
): Promise<NonNullable<SenderState['run']>> {
  const variables = {
    name: run.run_id,
    project: run.project || 'uncategorized',
    entity: run.entity || null,
    config,
    groupName: run.run_group || null,
    jobType: run.job_type || null,
    displayName: run.display_name || null,
    notes: run.notes || null,
    host: run.host || null,
    sweep: run.sweep_id || null,
    program: 'bowyer',
    tags: run.tags ?? null,
    commit: run.git?.commit ?? null,
    repo: run.git?.remote_url ?? null,
  };
  const { upsertBucket } = await client.graphql<UpsertBucketAnswer>(UPSERT_BUCKET, variables, { retryConflict: true });
  const { id, name, project } = upsertBucket.bucket;
  return { id, name, project: project.name, entity: project.entity.name };
}

/** Sends only the run's config, so that changes of its name or notes that users made on W&B's page are kept. */
export async function updateConfig(
  client: WandbClient,
  { name, project, entity }: NonNullable<SenderState['run']>,
  config: string,
): Promise<void> {
  await client.graphql<UpsertBucketAnswer>(UPSERT_BUCKET, { name, project, entity, config }, { retryConflict: true });
}

/**
 * Returns how many lines the server already has of a run with this id, which this run continues.
 *
 * @throws {WandbError} if the run must exist and does not, or must not exist and does
 */
export async function findBase(client: WandbClient, run: RunRecord, resume: Exclude<Resume, null>): Promise<Base> {
  const variables = { project: run.project || 'uncategorized', entity: run.entity || null, name: run.run_id };
  const { model } = await client.graphql<RunResumeStatusAnswer>(RUN_RESUME_STATUS, variables);
  const found = model?.bucket ?? null;
  const hasStarted = found !== null && 't' in objectOf(found.wandbConfig);
  if (resume === 'must' && !hasStarted)
    throw new WandbError(`WANDB_RESUME=must, and W&B has no run ${run.run_id}`, 404, false);
  if (resume === 'never' && hasStarted)
    throw new WandbError(`WANDB_RESUME=never, and W&B has a run ${run.run_id} already`, 409, false);
  if (!hasStarted) return NO_BASE;
  const rows = (JSON.parse(found.historyTail ?? '[]') as string[]).map(objectOf);
  const largest = (key: string) => rows.reduce((most, row) => Math.max(most, Number(row[key] ?? 0)), 0);
  return {
    lines: {
      'wandb-history.jsonl': found.historyLineCount ?? 0,
      'wandb-events.jsonl': found.eventsLineCount ?? 0,
      'output.log': found.logLineCount ?? 0,
    },
    step: largest('_step'),
    runtime: largest('_runtime'),
  };
}

function objectOf(json: string | null): Record<string, unknown> {
  const value = json === null ? null : parseJsonText(json);
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
}
