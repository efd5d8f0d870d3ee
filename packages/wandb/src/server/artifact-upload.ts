// Uploads an artifact (a folder or file with a name and version) to W&B's server: sends its manifest and files, and then commits
// it.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeTemporaryFolder } from '@bowyer/core';
import type { WandbClient } from './client.js';
import {
  COMMIT_ARTIFACT,
  CREATE_ARTIFACT,
  CREATE_ARTIFACT_FILES,
  CREATE_ARTIFACT_MANIFEST,
  headersOf,
  USE_ARTIFACT,
  type CreateArtifactAnswer,
  type CreateArtifactFilesAnswer,
  type CreateArtifactManifestAnswer,
} from './queries.js';
import type { ArtifactRecord } from '../log/records.js';
import type { SenderState } from './sender-state.js';

const MANIFEST = 'wandb_manifest.json';

/** Uploads an artifact. @throws {Error} if the server refuses it, or if a file has changed since the artifact was logged */
export async function uploadArtifact(
  client: WandbClient,
  run: NonNullable<SenderState['run']>,
  artifact: ArtifactRecord,
): Promise<void> {
  const names = { entityName: run.entity, projectName: run.project, runName: run.name };
  const { id, state } = await create(client, names, artifact);
  if (state !== 'COMMITTED') {
    await upload(client, names, id, artifact);
    await client.graphql(COMMIT_ARTIFACT, { artifactID: id });
  }
  if (artifact.use_after_commit) await client.graphql(USE_ARTIFACT, { ...names, artifactID: id });
}

interface Names {
  entityName: string;
  projectName: string;
  runName: string;
}

async function create(client: WandbClient, names: Names, artifact: ArtifactRecord) {
  const { type, name, digest, description, metadata, aliases = [], client_id, sequence_client_id } = artifact;
  const input = {
    ...names,
    artifactTypeName: type,
    artifactCollectionName: name,
    digest,
    digestAlgorithm: 'MANIFEST_MD5',
    clientID: client_id,
    sequenceClientID: sequence_client_id,
    description: description || null,
    aliases: aliases.map((alias) => ({ artifactCollectionName: name, alias })),
    tags: [],
    metadata: metadata || null,
    enableDigestDeduplication: true,
  };
  return (await client.graphql<CreateArtifactAnswer>(CREATE_ARTIFACT, { input })).createArtifact.artifact;
}

async function upload(client: WandbClient, names: Names, id: string, artifact: ArtifactRecord): Promise<void> {
  const text = manifestText(artifact);
  const manifest = async (digest: string, includeUpload: boolean) => {
    const variables = { ...names, artifactID: id, name: MANIFEST, digest, includeUpload };
    const answer = await client.graphql<CreateArtifactManifestAnswer>(CREATE_ARTIFACT_MANIFEST, variables);
    return answer.createArtifactManifest.artifactManifest;
  };
  await uploadFiles(client, id, (await manifest('', false)).id, artifact);
  const md5 = createHash('md5').update(text).digest('base64');
  const { uploadUrl, uploadHeaders } = (await manifest(md5, true)).file;
  if (!uploadUrl) throw new Error('W&B gave no address for the manifest');
  const folder = makeTemporaryFolder('wandb');
  try {
    const path = join(folder, MANIFEST);
    await writeFile(path, text);
    await client.put(uploadUrl, path, { ...headersOf(uploadHeaders), 'content-md5': md5 });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function uploadFiles(
  client: WandbClient,
  artifactID: string,
  artifactManifestID: string,
  { manifest }: ArtifactRecord,
): Promise<void> {
  const entries = manifest?.contents ?? [];
  for (const { path, digest, local_path: file } of entries) {
    if ((await md5Of(file!)) !== digest)
      throw new Error(`${file} has changed since the artifact was made\n  it was written again since then`);
    const artifactFiles = [{ artifactID, artifactManifestID, name: path, md5: digest }];
    const { createArtifactFiles } = await client.graphql<CreateArtifactFilesAnswer>(CREATE_ARTIFACT_FILES, {
      artifactFiles,
      storageLayout: 'V2',
    });
    const { uploadUrl, uploadHeaders } = createArtifactFiles.files.edges[0].node;
    // If the server answers without an address for the upload, it already has this content.
    if (uploadUrl) await client.put(uploadUrl, file!, { ...headersOf(uploadHeaders), 'content-md5': digest! });
  }
}

function manifestText({ manifest }: ArtifactRecord): string {
  const contents = (manifest?.contents ?? []).map(({ path, digest, size = 0 }) => [path, { digest, size }] as const);
  return JSON.stringify({
    version: 1,
    storagePolicy: 'wandb-storage-policy-v1',
    storagePolicyConfig: { storageLayout: 'V2' },
    contents: Object.fromEntries(contents),
  });
}

/** Returns the MD5 checksum of a file in base64. */
export async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5');
  await pipeline(createReadStream(path), hash);
  return hash.digest('base64');
}
