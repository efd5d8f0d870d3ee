// Which files of a hub repository a model needs.

export interface RemoteFile {
  path: string;
  size: number;
  /** SHA-256 of a large file, or git's SHA-1 of a small one; also the name that the cache gives to its content. */
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
 * Chooses the files to fetch: config, tokenizer and one copy of the weights: safetensors in one file, else in shards; PyTorch's files
 * (for task=convert) only where there is neither.
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
