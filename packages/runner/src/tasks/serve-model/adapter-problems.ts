// Reports, before a model server starts, settings of its LoRA adapters that contradict each other or the files.
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

/** Refuses keys that limit adapters if the server serves no adapters, since they would have no effect. */
function idleKeys({ maxAdapters, maxAdapterRank, adapterTargetModules }: AdapterKeys): ConfigProblem[] {
  const given = {
    'task.max_adapters': maxAdapters,
    'task.max_adapter_rank': maxAdapterRank,
    'task.adapter_target_modules': adapterTargetModules,
  };
  return Object.entries(given).flatMap(([key, value]) =>
    (value ?? null) === null
      ? []
      : oneProblem(
          key,
          `${key}=${String(value)} has no effect: no adapters are served`,
          'give task.adapters={NAME: FOLDER} or task.runtime_adapters=[FOLDER], or leave it out',
        ),
  );
}

function modelProblems({ model, follow }: AdapterKeys): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (typeof follow === 'string')
    problems.push({
      key: 'task.follow',
      message: `task.follow=${follow} replaces the weights, and adapters belong to the weights that they were trained with`,
      remedy: 'write task.follow=null, or serve without adapters',
    });
  if (typeof model === 'string' && isAdapterFolder(model))
    problems.push({
      key: 'task.model',
      message: `task.model=${model} is an adapter itself`,
      remedy: 'give its base model as the model, and the adapter in task.adapters',
    });
  return problems;
}

function placeProblems({ adapters, runtimeAdapters = [] }: AdapterKeys): ConfigProblem[] {
  const missing = Object.entries(adapters ?? {}).flatMap(([name, place]) => {
    if (isAdapterFolder(place)) return [];
    const what = existsSync(agentFolderOf(place)) ? 'contains no adapter' : 'is not there';
    return oneProblem(
      'task.adapters',
      `task.adapters: the folder of '${name}', ${place}, ${what}`,
      'give a folder with adapter_config.json and adapter_model.safetensors, or a run with lora.enabled=true',
    );
  });
  const roots = runtimeAdapters.flatMap((root) =>
    statSync(root, { throwIfNoEntry: false })?.isDirectory()
      ? []
      : oneProblem(
          'task.runtime_adapters',
          `task.runtime_adapters: there is no folder ${root}`,
          'make it, or leave it out',
        ),
  );
  return [...missing, ...roots];
}

function nameProblems({ adapters, model, servedName }: AdapterKeys): ConfigProblem[] {
  const own = servedName ?? (typeof model === 'string' ? modelNameOf(agentFolderOf(model)) : null);
  return Object.keys(adapters ?? {}).flatMap((name) =>
    name !== '' && name !== own
      ? []
      : oneProblem(
          'task.adapters',
          `task.adapters: '${name}' ${name === '' ? 'is empty' : 'is the name of the model itself'}`,
          'give the adapter another name, or give the model another one with task.served_name',
        ),
  );
}

function roomProblems({ adapters, maxAdapters }: AdapterKeys): ConfigProblem[] {
  const count = Object.keys(adapters ?? {}).length;
  if ((maxAdapters ?? null) === null || maxAdapters! >= count) return [];
  return oneProblem(
    'task.max_adapters',
    `task.max_adapters is ${maxAdapters}, and task.adapters has ${count}`,
    `write task.max_adapters=${count}`,
  );
}
