// Reports settings of adapters that contradict each other or the files, before anything starts.
import { existsSync, statSync } from 'node:fs';
import { oneProblem, type ConfigProblem } from '@bowyer/core';
import { agentFolderOf, isAdapterFolder, modelNameOf } from '../../agent/folders/model-folders.js';

interface AdapterKeys {
  model?: string | null;
  follow?: string | null;
  servedName?: string | null;
  adapters?: Readonly<Record<string, string>> | null;
  runtimeAdapters?: readonly string[];
  maxAdapters?: number | null;
  maxAdapterRank?: number | null;
  adapterTargetModules?: readonly string[] | string | null;
}

export function adapterProblems(config: AdapterKeys): ConfigProblem[] {
  const { adapters, runtimeAdapters = [] } = config;
  if (Object.keys(adapters ?? {}).length === 0 && runtimeAdapters.length === 0) return idleKeys(config);
  return [...modelProblems(config), ...placeProblems(config), ...nameProblems(config), ...roomProblems(config)];
}

/** Refuses keys that have no effect without adapters. */
function idleKeys({ maxAdapters, maxAdapterRank, adapterTargetModules }: AdapterKeys): ConfigProblem[] {
  const given = {
    max_adapters: maxAdapters,
    max_adapter_rank: maxAdapterRank,
    adapter_target_modules: adapterTargetModules,
  };
  return Object.entries(given).flatMap(([key, value]) =>
    (value ?? null) === null
      ? []
      : oneProblem(
          key,
          `${key}=${String(value)} has no effect: no adapters are served`,
          'give adapters={NAME: FOLDER} or runtime_adapters=[FOLDER], or leave it out',
        ),
  );
}

function modelProblems({ model, follow }: AdapterKeys): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (typeof follow === 'string')
    problems.push({
      key: 'follow',
      message: `follow=${follow} replaces the weights, and adapters belong to the weights that they were trained with`,
      remedy: 'write follow=null, or serve without adapters',
    });
  if (typeof model === 'string' && isAdapterFolder(model))
    problems.push({
      key: 'model',
      message: `model=${model} is an adapter itself`,
      remedy: 'give its base model as the model, and the adapter in adapters',
    });
  return problems;
}

function placeProblems({ adapters, runtimeAdapters = [] }: AdapterKeys): ConfigProblem[] {
  const missing = Object.entries(adapters ?? {}).flatMap(([name, place]) => {
    if (isAdapterFolder(place)) return [];
    const what = existsSync(agentFolderOf(place)) ? 'contains no adapter' : 'is not there';
    return oneProblem(
      'adapters',
      `adapters: the folder of '${name}', ${place}, ${what}`,
      'give a folder with adapter_config.json and adapter_model.safetensors, or a run with use_lora=true',
    );
  });
  const roots = runtimeAdapters.flatMap((root) =>
    statSync(root, { throwIfNoEntry: false })?.isDirectory()
      ? []
      : oneProblem('runtime_adapters', `runtime_adapters: there is no folder ${root}`, 'make it, or leave it out'),
  );
  return [...missing, ...roots];
}

function nameProblems({ adapters, model, servedName }: AdapterKeys): ConfigProblem[] {
  const own = servedName ?? (typeof model === 'string' ? modelNameOf(agentFolderOf(model)) : null);
  return Object.keys(adapters ?? {}).flatMap((name) =>
    name !== '' && name !== own
      ? []
      : oneProblem(
          'adapters',
          `adapters: '${name}' ${name === '' ? 'is empty' : 'is the name of the model itself'}`,
          'give the adapter another name, or give the model another one with served_name',
        ),
  );
}

function roomProblems({ adapters, maxAdapters }: AdapterKeys): ConfigProblem[] {
  const count = Object.keys(adapters ?? {}).length;
  if ((maxAdapters ?? null) === null || maxAdapters! >= count) return [];
  return oneProblem(
    'max_adapters',
    `max_adapters is ${maxAdapters}, and adapters has ${count}`,
    `write max_adapters=${count}`,
  );
}
