// Compares the chat template in an adapter's folder with the one in the folder of its model.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns whether the templates differ: the server then warns, since it writes all prompts with its own template. */
export function hasOtherTemplate(adapterFolder: string, modelFolder: string): boolean {
  const own = templateIn(adapterFolder);
  return own !== null && own !== templateIn(modelFolder);
}

/** Reads a folder's chat template: as text, or as JSON where the folder has several named templates; null where it has none. */
function templateIn(folder: string): string | null {
  const file = join(folder, 'chat_template.jinja');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const config = join(folder, 'tokenizer_config.json');
  if (!existsSync(config)) return null;
  const { chat_template: template = null } = JSON.parse(readFileSync(config, 'utf8')) as { chat_template?: unknown };
  return typeof template === 'string' || template === null ? template : JSON.stringify(template);
}
