export { recordings, recordedLines, whenRecorded } from './recordings.js';
export { describeOnDevices, when, type Tests } from './when.js';
export { readmePrograms, type ReadmeProgram } from './readme-programs.js';
export { WandbServer, type Fault, type ServedArtifact, type ServedRequest, type ServedRun } from './wandb-server.js';
