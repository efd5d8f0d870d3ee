export { cpuMilliseconds } from './cpu-time.js';
export { recordings, recordedLines, whenRecorded } from './recordings.js';
export { describeOnDevices, when, type Tests } from './when.js';
export { readmePrograms, type ReadmeProgram } from './readme-programs.js';
export { WandbServer, type Fault } from './wandb-server.js';
