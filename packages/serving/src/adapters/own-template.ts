// Reads the chat template in the folder of a model's or an adapter's weights.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns whether an adapter's folder has another template than its model's. The server writes all prompts with its own,
 * whichever adapter answers.
 */
export function hasOtherTemplate(adapterFolder: string, modelFolder: string): boolean {
  const own = templateIn(adapterFolder);
  return own !== null && own !== templateIn(modelFolder);
}

/** Reads the template as text, or as JSON where there are several by name; null where there is none. */
function templateIn(folder: string): string | null {
  const file = join(folder, 'chat_template.jinja');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const config = join(folder, 'tokenizer_config.json');
  if (!existsSync(config)) return null;
  const { chat_template: template = null } = JSON.parse(readFileSync(config, 'utf8')) as { chat_template?: unknown };
  return typeof template === 'string' || template === null ? template : JSON.stringify(template);
}
