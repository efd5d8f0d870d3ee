// Gives the standard tests of LangChain their chat models, all with the address of a served model. Vitest runs it beside those tests.
import { ChatAnthropic } from '@langchain/anthropic';
import { ChatOpenAI } from '@langchain/openai';
import { ChatModelIntegrationTests } from './standard-tests/vitest';

const origin = process.env.CHAT;
const usual = {
  chatModelHasToolCalling: true,
  chatModelHasStructuredOutput: true,
  supportsParallelToolCalls: true,
  supportsStandardContentType: { text: true },
};
const openai = { model: 'tiny', apiKey: 'any', configuration: { baseURL: `${origin}/v1` } };

class StandardTests extends ChatModelIntegrationTests {}

const models = {
  ChatOpenAI: { Cls: ChatOpenAI, constructorArgs: openai },
  'ChatOpenAI with Responses': { Cls: ChatOpenAI, constructorArgs: { ...openai, useResponsesApi: true } },
  ChatAnthropic: {
    Cls: ChatAnthropic,
    constructorArgs: { model: 'tiny', apiKey: 'any', maxTokens: 500, anthropicApiUrl: origin },
  },
};
for (const [name, model] of Object.entries(models)) new StandardTests({ ...usual, ...model }).runTests(name);
