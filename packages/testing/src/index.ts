export { recordings, recordedLines, whenRecorded } from './recordings.js';
export { describeOnDevices, when, type Tests } from './when.js';
export { readmePrograms, type ReadmeProgram } from './readme-programs.js';
