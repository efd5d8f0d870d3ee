// Loads and unloads LoRA adapters while the server runs, over the routes that vLLM has for it, and over OpenAI's route for
// deleting a model. Sources: docs.vllm.ai/en/latest/features/lora (dynamically serving LoRA adapters),
// platform.openai.com/docs/api-reference/models/delete.
import { realpathSync } from 'node:fs';
import { AdapterError } from '@bowyer/models';
import { folderBelow } from '../../adapters/allowed-folders.js';
import { hasOtherTemplate } from '../../adapters/own-template.js';
import { BadRequestError } from '../../generation/request-error.js';
import { harmless, refused, served as servedFields } from '../fields/field-rules.js';
import { RequestFields } from '../fields/request-fields.js';
import { openaiError } from '../openai/errors.js';
import type { Exchange, Protocol, ServedAdapters, ServedModels } from '../protocol.js';

const loadFields = {
  ...servedFields('lora_name', 'lora_path', 'load_inplace'),
  ...refused({ is_3d_lora_weight: [false] }),
};

const unloadFields = { ...servedFields('lora_name'), ...harmless('lora_int_id') };

/** Returns the protocol with these routes; it has none if clients may not load adapters. */
export const adapters = ({ adapters: served }: ServedModels): Protocol => ({
  errorBody: openaiError,
  routes:
    served === undefined || served.allowedFolders.length === 0
      ? []
      : [
          {
            method: 'POST',
            path: '/v1/load_lora_adapter',
            isOperators: true,
            respond: (exchange) => load(served, exchange),
          },
          {
            method: 'POST',
            path: '/v1/unload_lora_adapter',
            isOperators: true,
            respond: (exchange) => unload(served, exchange),
          },
          {
            method: 'DELETE',
            path: '/v1/models/{id}',
            isOperators: true,
            respond: ({ parameters: { id } }) => Promise.resolve(deleted(served, id)),
          },
        ],
});

async function load(served: ServedAdapters, { body }: Exchange) {
  const fields = new RequestFields(await body(), loadFields);
  const name = givenText(fields, 'lora_name');
  const path = givenText(fields, 'lora_path');
  const replaces = fields.boolean('load_inplace');
  const dir = await folderBelow(served.allowedFolders, path);
  if (dir === null)
    throw fields.fail(
      'lora_path',
      'must be an existing folder below one of those that this server allows (task.runtime_adapters)',
    );
  try {
    await loadAdapter(served, name, dir, replaces);
  } catch (error) {
    throw error instanceof AdapterError ? new BadRequestError(error.message, 'lora_path') : error;
  }
  return { status: 200, text: `Success: LoRA adapter '${name}' added successfully.` };
}

async function unload({ registry, onNotice }: ServedAdapters, { body }: Exchange) {
  const name = givenText(new RequestFields(await body(), unloadFields), 'lora_name');
  registry.unload(name);
  onNotice(`the adapter '${name}' is unloaded`);
  return { status: 200, text: `Success: LoRA adapter '${name}' removed successfully.` };
}

function deleted({ registry, onNotice }: ServedAdapters, id: string) {
  registry.unload(id);
  onNotice(`the adapter '${id}' is unloaded`);
  return { status: 200, json: { id, object: 'model', deleted: true } };
}

/** Reports a notice if the adapter was trained with another base model or chat template than the server has. */
export async function loadAdapter(
  { registry, modelFolder, onNotice }: ServedAdapters,
  name: string,
  dir: string,
  replaces = false,
): Promise<void> {
  const { base } = await registry.load(name, dir, { replaces });
  const isOther = base !== null && realpathSync(base) !== realpathSync(modelFolder);
  const others = [
    ...(isOther ? [`it names another base, ${base}`] : []),
    ...(hasOtherTemplate(dir, modelFolder) ? ["its chat template differs from the model's, and is not used"] : []),
  ];
  onNotice([`the adapter '${name}' is loaded from ${dir}`, ...others].join('; '));
}

function givenText(fields: RequestFields, name: string): string {
  const text = fields.text(name, '');
  if (text === '') throw fields.fail(name, 'must be a text that is not empty');
  return text;
}
