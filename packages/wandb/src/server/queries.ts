// Defines the operations of W&B's GraphQL interface that a run needs, and the types of their answers.

export const UPSERT_BUCKET = `mutation UpsertBucket($id: String, $name: String, $project: String, $entity: String,
  $groupName: String, $jobType: String, $displayName: String, $notes: String, $config: JSONString, $host: String,
  $program: String, $repo: String, $commit: String, $sweep: String, $tags: [String!], $summaryMetrics: JSONString) {
  upsertBucket(input: {id: $id, name: $name, modelName: $project, entityName: $entity, groupName: $groupName,
    jobType: $jobType, displayName: $displayName, notes: $notes, config: $config, host: $host, jobProgram: $program,
    jobRepo: $repo, commit: $commit, sweep: $sweep, tags: $tags, summaryMetrics: $summaryMetrics}) {
    bucket { id name displayName sweepName project { name entity { name } } } inserted } }`;

export interface UpsertBucketAnswer {
  upsertBucket: {
    bucket: {
      id: string;
      name: string;
      displayName: string | null;
      project: { name: string; entity: { name: string } };
    };
    inserted: boolean;
  };
}

export const RUN_RESUME_STATUS = `query RunResumeStatus($project: String, $entity: String, $name: String!) {
  model(name: $project, entityName: $entity) { bucket(name: $name, missingOk: true) { id name
    historyLineCount eventsLineCount logLineCount historyTail eventsTail wandbConfig(keys: ["t"]) } } }`;

export interface RunResumeStatusAnswer {
  model: {
    bucket: {
      historyLineCount: number | null;
      eventsLineCount: number | null;
      logLineCount: number | null;
      historyTail: string | null;
      wandbConfig: string | null;
    } | null;
  } | null;
}

export const CREATE_RUN_FILES = `mutation CreateRunFiles($entity: String!, $project: String!, $run: String!, $files: [String!]!) {
  createRunFiles(input: {entityName: $entity, projectName: $project, runName: $run, files: $files}) {
    runID uploadHeaders files { name uploadUrl } } }`;

export interface CreateRunFilesAnswer {
  createRunFiles: { uploadHeaders: string[]; files: { name: string; uploadUrl: string }[] };
}

export const CREATE_ARTIFACT = `mutation CreateArtifact($input: CreateArtifactInput!) {
  createArtifact(input: $input) { artifact { id state } } }`;

export interface CreateArtifactAnswer {
  createArtifact: { artifact: { id: string; state: string } };
}

export const CREATE_ARTIFACT_MANIFEST = `mutation CreateArtifactManifest($artifactID: ID!, $name: String!, $digest: String!,
  $entityName: String!, $projectName: String!, $runName: String!, $includeUpload: Boolean!) {
  createArtifactManifest(input: {artifactID: $artifactID, name: $name, digest: $digest, entityName: $entityName,
    projectName: $projectName, runName: $runName, type: FULL}) {
    artifactManifest { id file { id uploadUrl @include(if: $includeUpload) uploadHeaders @include(if: $includeUpload) } } } }`;

export interface CreateArtifactManifestAnswer {
  createArtifactManifest: { artifactManifest: { id: string; file: { uploadUrl?: string; uploadHeaders?: string[] } } };
}

export const CREATE_ARTIFACT_FILES = `mutation CreateArtifactFiles($artifactFiles: [CreateArtifactFileSpecInput!]!, $storageLayout: ArtifactStorageLayout!) {
  createArtifactFiles(input: {artifactFiles: $artifactFiles, storageLayout: $storageLayout}) {
    files { edges { node { name uploadUrl uploadHeaders } } } } }`;

export interface CreateArtifactFilesAnswer {
  createArtifactFiles: {
    files: { edges: { node: { name: string; uploadUrl: string | null; uploadHeaders: string[] } }[] };
  };
}

export const COMMIT_ARTIFACT = `mutation CommitArtifact($artifactID: ID!) {
  commitArtifact(input: {artifactID: $artifactID}) { artifact { id digest } } }`;

export const USE_ARTIFACT = `mutation UseArtifact($entityName: String!, $projectName: String!, $runName: String!, $artifactID: ID!) {
  useArtifact(input: {entityName: $entityName, projectName: $projectName, runName: $runName, artifactID: $artifactID}) {
    artifact { id digest } } }`;

/** Parses HTTP headers of the form `Name: value`. */
export const headersOf = (lines: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()]),
  );
