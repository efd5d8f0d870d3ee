export {
  answerChats,
  answerRequests,
  sendJson,
  type AnsweredRequest,
  type AnsweringServer,
  type ReceivedAnswer,
} from './answer-requests.js';
export { collected } from './collected.js';
export { cpuMilliseconds } from './cpu-time.js';
export { isExhaustive, whenExhaustive } from './exhaustive.js';
export { recordings, recordedLines, whenRecorded } from './recordings.js';
export { listenHere } from './listen-here.js';
export { newFolder } from './new-folder.js';
export { serveFolder } from './serve-folder.js';
export { tinyLlama } from './tiny-llama.js';
export { describeOnDevices, when, type Tests } from './when.js';
export { builtProgram, programArguments, sourceArguments, typeScriptArguments } from './source-arguments.js';
export { readmePrograms, type ReadmeProgram } from './readme-programs.js';
export { WandbServer, type Fault } from './wandb-server.js';
