// An agent of the AI SDK answers questions with a model at a base URL; its spans go to a server that takes OTLP as JSON.
// node agent.mjs BASE_URL MODEL training|held-out [TRACES_URL]
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OpenTelemetry } from '@ai-sdk/otel';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { generateText, jsonSchema, registerTelemetry, stepCountIs, tool } from 'ai';
import { parameters, tasks } from './tasks.mjs';

const [baseURL, name, part, url] = process.argv.slice(2);
const provider = new BasicTracerProvider({
  spanProcessors: url === undefined ? [] : [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
});
registerTelemetry(new OpenTelemetry({ tracer: provider.getTracer('agent') }));
const model = createOpenAICompatible({ name: 'local', baseURL, apiKey: 'none' })(name);

async function isRight({ what, room }) {
  const execute = ({ thing }) => (thing === what ? room : 'nowhere');
  const find = tool({ description: 'Find a thing', inputSchema: jsonSchema(parameters), execute });
  const messages = [{ role: 'user', content: `Where is the ${what}?` }];
  const limits = { temperature: 0, maxOutputTokens: 60, maxRetries: 0, stopWhen: stepCountIs(4) };
  // A model that cannot do it writes calls that cannot be read.
  const answer = await generateText({ model, messages, tools: { find }, ...limits }).catch(() => null);
  return answer?.text.trim() === `It is in ${room}.`;
}

const chosen = tasks.filter(({ isHeldOut }) => isHeldOut === (part === 'held-out'));
let right = 0;
for (const task of chosen) if (await isRight(task)) right++;
await provider.shutdown();
console.log(`${part}: ${right} of ${chosen.length} right`);
