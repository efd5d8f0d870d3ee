// Opens a chat endpoint that a config describes, with the API key from an environment variable.
import { OpenAiChat } from '@bowyer/envs';

interface ChatEndpoint {
  baseUrl: string;
  model: string;
  /** The environment variable with the API key; null: no key is sent. */
  apiKeyEnv: string | null;
  retries: number;
  timeoutMs: number;
  /** The largest number of simultaneous requests; 1 if not given. */
  concurrency?: number;
}

/**
 * @param name the endpoint's config key, for messages
 * @throws where the environment variable of the API key is not set
 */
export function openChat(name: string, endpoint: ChatEndpoint): OpenAiChat {
  const { baseUrl, model, apiKeyEnv, retries, timeoutMs, concurrency = 1 } = endpoint;
  const apiKey = apiKeyEnv === null ? null : process.env[apiKeyEnv];
  if (apiKey === undefined)
    throw new Error(
      `${name}: the environment variable ${apiKeyEnv} is not set; it should contain the key of ${baseUrl}\n` +
        `  set it, or write ${name}.api_key_env=null for a server that wants none`,
    );
  return new OpenAiChat({ baseUrl, model, apiKey, concurrency, http: { retries, answerTimeoutMs: timeoutMs } });
}
