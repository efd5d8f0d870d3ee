// Reads the URLs of endpoints that are tested as models in an evaluation of a user's agent, such as `https://HOST/v1#MODEL`.
import type { ConfigProblem } from '@bowyer/core';
import type { AgentOptions } from '../train-agent/agent-keys.js';
import type { EvaluationOptions } from './evaluation-keys.js';

export const isEndpoint = (model: string): boolean => /^https?:\/\//.test(model);

/** The name in the option `prices`: an endpoint's model, the name on the Hugging Face hub, or the folder as given. */
export const pricedName = (model: string): string => (isEndpoint(model) ? partsOf(model).name : hubNameOf(model));

/** OWNER/NAME for a folder in the cache of the Hugging Face hub; any other folder is unchanged. */
export function hubNameOf(folder: string): string {
  const [, owner, name] = /[/\\]models--([^/\\]+?)--([^/\\]+)[/\\]snapshots[/\\][^/\\]+$/.exec(folder) ?? [];
  return name === undefined ? folder : `${owner}/${name}`;
}

/** Splits the URL of an endpoint into its base URL, its host and the name of the model. */
export function partsOf(model: string): { upstream: string; host: string; name: string } {
  const url = new URL(model);
  const name = decodeURIComponent(url.hash.slice(1));
  url.hash = '';
  return { upstream: url.href, host: url.host, name };
}

/** Reports an endpoint that cannot be tested, or a setting that has no effect with endpoints; null where there is neither. */
export function endpointProblem(
  key: string,
  model: string,
  {
    temperature,
    topK,
    topP,
    decoding,
  }: Pick<EvaluationOptions, 'decoding'> & Pick<AgentOptions, 'temperature' | 'topK' | 'topP'>,
): ConfigProblem | null {
  if (!URL.canParse(model) || partsOf(model).name === '')
    return {
      key,
      message: `${key}: the endpoint '${model}' names no model`,
      remedy: 'write the name of the model behind #: https://HOST/v1#NAME',
    };
  if (decoding === 'sample' && temperature === null && topK === null && topP === null) return null;
  return {
    key,
    message: `${key}: an endpoint answers as the agent's requests say, and takes no task.decoding, task.temperature, task.top_k or task.top_p`,
    remedy: 'leave these out, and let the agent send them',
  };
}

type TestedModels = Pick<EvaluationOptions, 'models' | 'compareWith'> & { model: string | null };

/** Returns all models that the evaluation tests; the first one is compared with each of the others. */
export const modelsOf = ({ model, models, compareWith }: TestedModels): readonly string[] =>
  models.length > 0 ? models : [...(model === null ? [] : [model]), ...compareWith];

/** Reports prices and API keys that belong to none of the tested models. */
export function unusedProblems(
  options: TestedModels & Pick<EvaluationOptions, 'prices' | 'endpointKeys'>,
): ConfigProblem[] {
  const models = modelsOf(options).filter((model) => !isEndpoint(model) || URL.canParse(model));
  const hosts = models.filter(isEndpoint).map((model) => partsOf(model).host);
  const unused = (key: string, given: object | null, used: readonly string[]): ConfigProblem[] =>
    Object.keys(given ?? {})
      .filter((name) => !used.includes(name))
      .map((name) => ({
        key,
        message: `${key}: '${name}' is none of the models (${used.join(', ')})`,
        remedy: 'write a name as it stands there, or leave this one out',
      }));
  return [
    ...unused('task.prices', options.prices, models.map(pricedName)),
    ...unused('task.endpoint_keys', options.endpointKeys, hosts),
  ];
}
