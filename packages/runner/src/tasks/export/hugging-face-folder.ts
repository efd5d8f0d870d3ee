// Writes a model or an adapter from the folder of a run into a folder of its own, in Hugging Face's format.
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';

/** Matches the names of the files and folders that belong to a model; others in the same folder may belong to a run. */
const OWN =
  /^((model|adapter_model).*\.safetensors(\.index\.json)?|(config|generation_config|adapter_config|special_tokens_map|added_tokens|vocab)\.json|tokenizer.*\.(json|model)|merges\.txt|vocab\.txt|chat_template\.(jinja|json)|additional_chat_templates)$/;

/**
 * Copies a model or an adapter, or merges an adapter into its base model in float32.
 *
 * @returns the number of files and folders that were written
 */
export async function writeHuggingFaceFolder(model: string, folder: string, merge: boolean): Promise<number> {
  if (merge) return mergedInto(model, folder);
  const names = (await readdir(model)).filter((name) => OWN.test(name));
  for (const name of names) await cp(join(model, name), join(folder, name), { recursive: true });
  return names.length;
}

async function mergedInto(dir: string, folder: string): Promise<number> {
  await using device = await openDevice({ device: 'cpu' });
  const model = await LanguageModel.load({ device, dir });
  await model.saveMerged(folder);
  await model.release();
  return (await readdir(folder)).length;
}
