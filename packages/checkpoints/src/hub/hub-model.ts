// Provides a model of the Hugging Face hub as a local directory, in the same cache as Python's huggingface_hub:
// CACHE/models--OWNER--NAME/{refs/REVISION, blobs/ETAG, snapshots/COMMIT/FILE → ../../blobs/ETAG}.
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { DeadlineError, holderMessage, withDeadline, withFileLock, writeFileAtomically } from '@bowyer/core';
import { ChecksumError, fetchFile } from './fetch-file.js';
import { HubError, hubError, isUnreachable } from './hub-error.js';
import { neededFiles, type RemoteFile } from './hub-files.js';
import { parseHubId, type HubId } from './hub-id.js';

export interface HubOptions {
  /** Whether only the cache is used; also set by HF_HUB_OFFLINE=1. */
  offline?: boolean;
  /** Called with the downloaded bytes and the total, over all files that are not cached. */
  progress?: (bytes: number, total: number) => void;
  /** Called with a message if the cache is used instead of an unreachable hub, and while another process downloads the file. */
  notice?: (line: string) => void;
  /** The wait before a failed download is continued, in seconds. It doubles each time. */
  pauseSeconds?: number;
}

const PUBLIC_HUB = 'https://huggingface.co';
/** The timeout in milliseconds of requests for a model's description or its list of files. */
const ANSWER_MS = 60_000;
/** Imports the hub's library, which loads more slowly than the rest of this package. */
const hub = () => import('@huggingface/hub');

const COMMIT = /^[0-9a-f]{40}$/;

/**
 * Returns `place` if it is a directory, else the directory of a hub model, after downloading the files that are not cached. Reads
 * HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE, HF_HOME and HF_HUB_CACHE from the environment, as Python does.
 *
 * @param place a directory, or OWNER/NAME[@REVISION]
 */
export async function modelDirectory(place: string, options: HubOptions = {}): Promise<string> {
  const id = existsSync(place) ? null : parseHubId(place);
  if (id === null) return place; // the reader of the directory reports what is missing
  const { getHFHubCachePath, getRepoFolderName } = await hub();
  const folder = join(getHFHubCachePath(), getRepoFolderName({ name: id.name, type: 'model' }));
  if (options.offline || isSet(process.env.HF_HUB_OFFLINE)) {
    const cached = await cachedSnapshot(id, folder);
    if (cached !== null) return cached;
    throw new HubError(
      id,
      `it is not among the downloaded models (${folder}), and offline mode is on`,
      'download it once with hub.offline=false and without HF_HUB_OFFLINE, or give a directory',
    );
  }
  const endpoint = (process.env.HF_ENDPOINT || PUBLIC_HUB).replace(/\/+$/, '');
  try {
    return await download(id, folder, endpoint, options);
  } catch (error) {
    if (error instanceof ChecksumError) throw new HubError(id, error.message, 'start again');
    const failure = hubError(id, error, endpoint);
    const cached = isUnreachable(error) ? await cachedSnapshot(id, folder) : null;
    if (cached === null) throw failure;
    options.notice?.(`${endpoint} cannot be reached; ${id.name}@${id.revision} is used as downloaded earlier`);
    return cached;
  }
}

const isSet = (variable: string | undefined) => ['1', 'on', 'yes', 'true'].includes((variable ?? '').toLowerCase());

/** Returns the directory of a cached snapshot; null if there is none. It is complete, since `refs/REVISION` is written last. */
async function cachedSnapshot(id: HubId, folder: string): Promise<string | null> {
  const commit = COMMIT.test(id.revision)
    ? id.revision
    : (await readFile(join(folder, 'refs', id.revision), 'utf8').catch(() => '')).trim();
  const snapshot = join(folder, 'snapshots', commit);
  return commit !== '' && existsSync(join(snapshot, 'config.json')) ? snapshot : null;
}

async function download(id: HubId, folder: string, endpoint: string, options: HubOptions): Promise<string> {
  const accessToken = process.env.HF_TOKEN || undefined;
  const common = { hubUrl: endpoint, fetch: fetchAnswer, ...(accessToken && { accessToken }) };
  const { name, revision } = id;
  const { modelInfo } = await hub();
  const { sha } = await modelInfo({ ...common, name, revision, additionalFields: ['sha'] });
  const snapshot = join(folder, 'snapshots', sha);
  const files = neededFiles(await remoteFiles(id, sha, common));
  const missing = files.filter(({ etag }) => !existsSync(join(folder, 'blobs', etag)));
  const total = missing.reduce((sum, { size }) => sum + size, 0);
  let before = 0;
  for (const file of missing) {
    const blob = join(folder, 'blobs', file.etag);
    const fetched = () =>
      fetchFile(file, blob, {
        url: `${endpoint}/${name}/resolve/${sha}/${file.path}`,
        headers: accessToken ? { Authorization: `Bearer ${accessToken}` } : {},
        progress: (bytes) => options.progress?.(before + bytes, total),
        pauseSeconds: options.pauseSeconds ?? 1,
      });
    await withFileLock(`${blob}.lock`, async () => existsSync(blob) || fetched(), {
      protects: [blob],
      onWait: (holder) =>
        options.notice?.(
          holderMessage(holder, (who) => `'${file.path}' of ${name} is being downloaded by ${who}: waiting for it`),
        ),
    });
    before += file.size;
  }
  for (const { path, etag } of files) await link(join(folder, 'blobs', etag), join(snapshot, path));
  if (revision !== sha) {
    const ref = join(folder, 'refs', revision);
    await mkdir(dirname(ref), { recursive: true });
    await writeFileAtomically(ref, sha);
  }
  return snapshot;
}

/** Requests a model's description or list of files, with one timeout for the whole response, since it is small. */
const fetchAnswer: typeof fetch = (input, init) =>
  withDeadline(ANSWER_MS, init?.signal ?? undefined, async (signal) => {
    const response = await fetch(input, { ...init, signal });
    const { status, statusText, headers } = response;
    return new Response(await response.arrayBuffer(), { status, statusText, headers });
  }).catch((error: unknown) => {
    if (!(error instanceof DeadlineError)) throw error;
    throw new Error(`GET ${input instanceof Request ? input.url : String(input)}: ${error.message}`, { cause: error });
  });

async function remoteFiles(
  id: HubId,
  sha: string,
  common: { hubUrl: string; fetch: typeof fetch; accessToken?: string },
) {
  const { listFiles } = await hub();
  const files: RemoteFile[] = [];
  for await (const { type, path, size, oid, lfs } of listFiles({
    ...common,
    repo: { type: 'model', name: id.name },
    revision: sha,
  })) {
    const etag = lfs?.oid ?? oid;
    // Paths and hashes become names of files in the cache: an entry whose name could lead out of the cache's folder is skipped.
    if (type !== 'file' || etag === undefined || !/^[0-9a-f]+$/.test(etag) || /[\\/]/.test(path)) continue;
    files.push({ path, size, etag, digest: lfs ? 'sha256' : 'git' });
  }
  return files;
}

async function link(blob: string, path: string): Promise<void> {
  if (existsSync(path)) return;
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true }); // a link to a missing file
  await symlink(relative(dirname(path), blob), path);
}
