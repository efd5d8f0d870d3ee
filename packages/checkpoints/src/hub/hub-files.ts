// Selects the files of a hub repository that a model needs.

export interface RemoteFile {
  path: string;
  size: number;
  /** The file's checksum: SHA-256 of a large file, git's SHA-1 of a small one. The cache names the content by it. */
  etag: string;
  digest: 'sha256' | 'git';
}

const DESCRIPTIONS = new Set([
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
  'adapter_config.json',
  'adapter_model.safetensors',
]);

/**
 * Returns the files to download: config, tokenizer and one copy of the weights, which is a single safetensors file, else its
 * shards, else PyTorch's files (which task=convert reads).
 */
export function neededFiles(files: readonly RemoteFile[]): RemoteFile[] {
  const weightsIn = [
    /^model\.safetensors$/,
    /^model(-\d+-of-\d+\.safetensors|\.safetensors\.index\.json)$/,
    /^pytorch_model\.bin$/,
    /^pytorch_model(-\d+-of-\d+\.bin|\.bin\.index\.json)$/,
  ].find((form) => files.some(({ path }) => form.test(path)));
  return files.filter(({ path }) => DESCRIPTIONS.has(path) || weightsIn?.test(path));
}
