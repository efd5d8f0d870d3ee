export { ModelServer, type ModelServerOptions, type ServedEngine } from './model-server/model-server.js';
export { EmbeddingServer, type EmbeddingServerOptions } from './model-server/embedding-server.js';
export { EnvServer, type EnvServerOptions } from './env-server/env-server.js';
export { serveEnv, type ServeEnvOptions } from './env-server/serve-env.js';
export { RecordedMasks, type MaskedAnswer } from './generation/recorded-masks.js';
export { SteppedTokenizer } from './generation/stepped-tokenizer.js';
export { givenKeys, sameText } from './http/api-key.js';
export { HttpListener, pathOf, type HttpAnswer } from './http/http-listener.js';
export { excerpt, faultMessage } from './http/excerpt.js';
export { checkCounts, parseJson, readJson } from './http/json-text.js';
export { countsOf, type JsonCounts } from './http/json-nesting.js';
export { BodyError, textOf } from './http/request-body.js';
export { inTurns, turn } from './http/turn.js';
export { BadRequestError } from './generation/request-error.js';
export { QueueFullError } from './engine/sequence-batcher.js';
export type { CallObserver, ObservedCall, OpenedCall } from './protocols/call-observer.js';
export type { Exchange, Fault, Generator, ModelCalls, Protocol, Route } from './protocols/protocol.js';
export { sentDialogue, type SentDialogue } from './protocols/dialogue.js';
export { modelCalls } from './protocols/protocols.js';
export { AnswerEvents } from './protocols/upstream/answer-events.js';
export { addEvent, type ReadChoice } from './protocols/upstream/answer-reader.js';
export { UnreadAnswerError } from './protocols/upstream/unread-answer-error.js';
export { callReader, textReader, type CallReader } from './tool-calls/call-reader.js';
export { callProblem } from './tool-calls/call-style.js';
export { servedMessages } from './tool-calls/served-messages.js';
export { ProtocolServer, type ProtocolServerOptions } from './model-server/protocol-server.js';
export { openaiError } from './protocols/openai/errors.js';
export type { Choice, Completed, SampledUtterance } from './generation/answer.js';
export type { CompletionRequest } from './generation/completion-request.js';
export type { Dialogue, PromptWriter, WriteDialogue, WrittenChat } from './generation/prompt-writer.js';
export type { OpenEnvServer, OpenEnvServerOptions } from './open-env/open-env-server.js';
export { serveOpenEnv, type ServeOpenEnvOptions } from './open-env/serve-open-env.js';
export type { McpEnvServer, McpPipe } from './mcp-env/mcp-env-server.js';
export type { McpListener, McpListenerOptions } from './mcp-env/mcp-listener.js';
export {
  listenMcp,
  serveMcpEnv,
  serveMcpPipe,
  type ServedEnvOptions,
  type ServeMcpEnvOptions,
} from './mcp-env/serve-mcp-env.js';
