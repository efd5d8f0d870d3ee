// Describes a folder or file as a W&B artifact, with a checksum of each file, as a record of the transaction log.
import { createHash, randomInt } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { md5Of } from '../server/artifact-upload.js';
import { jsonText } from '../log/raw-json.js';
import type { ArtifactRecord } from '../log/records.js';

export interface ArtifactOptions {
  type: 'model' | 'checkpoint' | 'dataset';
  name: string;
  /** The path of the folder or file. */
  path: string;
  aliases: readonly string[];
  /** Whether the run has used the artifact and not made it. */
  isInput: boolean;
  metadata: object;
}

export async function artifactRecord(
  run: { run_id: string; project: string; entity: string },
  { type, name, path, aliases, isInput, metadata }: ArtifactOptions,
): Promise<ArtifactRecord> {
  const contents = await Promise.all(
    (await filesOf(resolve(path))).map(async ({ path: inside, local_path }) => {
      const [digest, { size }] = await Promise.all([md5Of(local_path), stat(local_path)]);
      return { path: inside, local_path, digest, size };
    }),
  );
  return {
    ...run,
    type,
    name: artifactName(name),
    aliases: [...aliases],
    metadata: jsonText(metadata),
    user_created: true,
    use_after_commit: isInput,
    finalize: true,
    digest: manifestDigest(contents),
    client_id: randomId(),
    sequence_client_id: randomId(),
    manifest: {
      version: 1,
      storage_policy: 'wandb-storage-policy-v1',
      contents,
      storage_policy_config: [{ key: 'storageLayout', value_json: '"V2"' }],
    },
  };
}

/** Replaces characters that W&B does not allow in an artifact's name. */
const artifactName = (name: string) => name.replaceAll(/[^\w.-]+/g, '-');

/** Returns the digest of an artifact: the hexadecimal MD5 of a text with one line for each file, sorted by path. */
function manifestDigest(contents: readonly { path: string; digest: string }[]): string {
  const sorted = [...contents].sort((a, b) => (a.path < b.path ? -1 : 1));
  const lines = sorted.map(({ path, digest }) => `${path}:${digest}\n`);
  return createHash('md5')
    .update(`wandb-artifact-manifest-v1\n${lines.join('')}`)
    .digest('hex');
}

/** Draws the id by which W&B's server finds an artifact, as W&B's clients do. */
const randomId = () =>
  Array.from({ length: 128 }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[randomInt(36)]).join('');

async function filesOf(path: string): Promise<{ path: string; local_path: string }[]> {
  if ((await stat(path)).isFile()) return [{ path: basename(path), local_path: path }];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((file) => ({ path: relative(path, file).split(sep).join('/'), local_path: file }));
}
